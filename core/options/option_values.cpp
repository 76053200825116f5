#include "core/options/option_values.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "core/base/suggest.h"

namespace tilescope {

UserError optionError(const OptionSpec& spec, const std::string& what) {
    return UserError(fmt::format("option {} ({}): {}", spec.key, spec.flag, what));
}

std::int64_t integerValue(const OptionSpec& spec, const std::string& text, std::int64_t least,
                          std::int64_t most) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= least && value <= most)
        return value;
    if (most == std::numeric_limits<std::int64_t>::max())
        throw optionError(spec,
                          fmt::format("'{}' is not a whole number of {} or more", text, least));
    throw optionError(spec,
                      fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

double numberValue(const OptionSpec& spec, const std::string& text, double least, double most) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // The comparisons are false for NaN as well.
    if (error == std::errc() && rest == end && value >= least && value <= most)
        return value;
    throw optionError(spec, fmt::format("'{}' is not a number from {} to {}", text, least, most));
}

const std::string& choiceValue(const OptionSpec& spec, const std::string& text) {
    const auto found = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (found != spec.choices.end())
        return *found;
    throw optionError(spec,
                      fmt::format("'{}' is not one of {}.{}", text, fmt::join(spec.choices, ", "),
                                  didYouMean(text, spec.choices)));
}

std::string numberText(double value) {
    return fmt::format("{}", value);
}

} // namespace tilescope
