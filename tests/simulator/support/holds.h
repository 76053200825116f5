// Properties over random values inside a Qt Test.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include <rapidcheck.h>

namespace tilescope::test {

/// Checks a property on `cases` random inputs; rapidcheck prints a minimal counterexample. The seed
/// is fixed, so that a run can be repeated; RC_PARAMS in the environment overrides everything.
template <class Property> bool holds(const std::string& name, int cases, Property&& property) {
    rc::detail::TestParams params;
    params.seed = 20240501;
    params.maxSuccess = cases;
    rc::detail::TestMetadata metadata;
    metadata.id = name;
    metadata.description = name;
    if (std::getenv("RC_PARAMS") != nullptr)
        return rc::check(name, std::forward<Property>(property));
    const auto result =
        rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
    if (!result.template is<rc::detail::SuccessResult>())
        rc::detail::printResultMessage(result, std::cerr);
    return result.template is<rc::detail::SuccessResult>();
}

/// A number from `from` to `to`, both included.
inline std::int64_t anyFrom(std::int64_t from, std::int64_t to) {
    return *rc::gen::inRange<std::int64_t>(from, to + 1);
}

} // namespace tilescope::test
