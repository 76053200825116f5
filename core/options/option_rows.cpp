#include "core/options/option_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope {

OptionSpec row(OptionTopic topic, std::string key, std::string flag, OptionSpec::Type type,
               std::string defaultValue, std::string help, std::vector<std::string> choices) {
    OptionSpec spec;
    spec.topic = topic;
    spec.key = std::move(key);
    spec.flag = std::move(flag);
    spec.type = type;
    spec.defaultValue = std::move(defaultValue);
    spec.help = std::move(help);
    spec.choices = std::move(choices);
    return spec;
}

OptionSpec namesRow(OptionSpec made, std::vector<std::string> RunOptions::*member) {
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            (options.*member).clear();
            for (std::size_t from = 0; from < value.size();) {
                const std::size_t comma = std::min(value.find(',', from), value.size());
                if (comma == from)
                    throw OptionError(self.key, fmt::format("'{}' has an empty name", value));
                (options.*member).push_back(value.substr(from, comma - from));
                from = comma + 1;
            }
        },
        [member](const RunOptions& options) {
            return fmt::format("{}", fmt::join(options.*member, ","));
        });
}

OptionSpec switchRow(OptionSpec made, bool RunOptions::*member) {
    return with(
        std::move(made),
        [member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.*member = choiceValue(self, value) == "on";
        },
        [member](const RunOptions& options) {
            return std::string(options.*member ? "on" : "off");
        });
}

OptionSpec numberRow(OptionSpec made, OptionRange bounds, double RunOptions::*member) {
    made.range = [bounds](const RunOptions&) { return bounds; };
    return with(
        std::move(made),
        [bounds, member](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.*member = numberValue(self, value, bounds);
        },
        [member](const RunOptions& options) { return numberText(options.*member); });
}

} // namespace tilescope
