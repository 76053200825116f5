#include "core/options/option_form.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

std::vector<OptionGroup> makeGroups() {
    std::vector<OptionGroup> groups;
    for (const OptionTopic topic : optionTopics) {
        groups.push_back({std::string(titleOf(topic)), {}});
        for (const OptionSpec& spec : runOptionTable())
            if (spec.topic == topic)
                groups.back().keys.push_back(spec.key);
    }
    return groups;
}

} // namespace

const std::vector<OptionGroup>& optionGroups() {
    static const std::vector<OptionGroup> groups = makeGroups();
    return groups;
}

std::optional<OptionRange> optionRange(std::string_view key, const RunOptions& options) {
    const OptionSpec* spec = findOption(key);
    return spec != nullptr && spec->range ? std::optional(spec->range(options)) : std::nullopt;
}

std::string optionProblem(const OptionSpec& spec, const RunOptions& others,
                          const std::string& value) {
    try {
        RunOptions scratch = others;
        spec.set(scratch, value);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

} // namespace tilescope
