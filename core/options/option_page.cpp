#include "core/options/option_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/engine_options.h"
#include "core/options/framework_options.h"
#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"

namespace tilescope {
namespace {

constexpr std::string_view introduction =
    R"(# Options by topic

Every option of `tilescope run`, with its key in a [job file](command_line.md), in `--vary` of a
[sweep](sweep_on_a_cluster.md) and in [Python](python.md). A switch takes no value on the command
line, and `true` or `false` in a job. Bounds that depend on the machine are those of the default one.
Names of the same option in PopTorch's `Options`, PopART's session options and Keras are given where
they act. [Engine options](engine_options.md) come last. `tilescope run --help TOPIC` prints those of a topic.

This page is generated from the option tables of the programs.
)";

std::string code(std::string_view text) {
    return fmt::format("`{}`", text);
}

template <class Texts> std::string codes(const Texts& texts) {
    std::string list;
    for (const auto& text : texts)
        list += (list.empty() ? "" : ", ") + code(text);
    return list;
}

/// ", from `0` to `1`"; "" for an option whose help says all there is to say.
std::string valuesOf(const OptionSpec& spec) {
    using Type = OptionSpec::Type;
    if (spec.type == Type::Flag)
        return ", a switch";
    if (spec.type == Type::Choice)
        return ", one of " + codes(spec.choices);
    if (spec.type == Type::Json)
        return ", a JSON object";
    const auto range = optionRange(spec.key, RunOptions());
    if (!range)
        return "";
    constexpr double beyondUse = 1e9; // bounds that only keep numbers in their types
    const std::string least = code(numberText(range->least));
    return range->most < beyondUse
               ? fmt::format(", from {} to {}", least, code(numberText(range->most)))
               : fmt::format(", {} or more", least);
}

/// "; PopTorch: `replicationFactor`; Keras: `auto_select_ipus`".
std::string namesElsewhere(const OptionSpec& spec) {
    std::string text;
    for (const Face face : faces) {
        std::vector<std::string_view> names;
        for (const OptionFace& entry : spec.faces)
            if (entry.face == face)
                names.push_back(entry.name);
        if (!names.empty())
            text += fmt::format("; {}: {}", displayName(face), codes(names));
    }
    return text;
}

/// "; not with `--framework` `tensorflow`, `keras`".
std::string frameworksWithout(const OptionSpec& spec) {
    std::string text;
    for (const FrameworkLack& lack : frameworkLacks()) {
        if (lack.key != spec.key)
            continue;
        std::vector<std::string_view> names;
        for (const Framework framework : lack.frameworks)
            names.push_back(toString(framework));
        text += fmt::format("; {}not with `--framework` {}",
                            lack.value.empty() ? "" : code(lack.value) + " ", codes(names));
    }
    return text;
}

std::string itemOf(const OptionSpec& spec) {
    const bool hasDefault = !spec.defaultValue.empty() && spec.type != OptionSpec::Type::Flag;
    return fmt::format("- {} (key {}{}{}{}{}): {}\n", code(spec.flag), code(spec.key),
                       valuesOf(spec), hasDefault ? "; default " + code(spec.defaultValue) : "",
                       namesElsewhere(spec), frameworksWithout(spec), spec.help);
}

std::string itemOf(const EngineOption& option) {
    const std::string values =
        option.values.empty() ? "" : fmt::format(" (one of {})", codes(option.values));
    return fmt::format("- {}{}: {}\n", code(option.key), values, option.what);
}

} // namespace

std::string optionPage() {
    std::string page(introduction);
    for (const OptionTopic topic : optionTopics) {
        page += fmt::format("\n## {}\n\n", displayName(topic));
        for (const OptionSpec& spec : runOptionTable())
            if (spec.topic == topic)
                page += itemOf(spec);
    }
    for (const EngineEffect effect : valuesUpTo<EngineEffect::NoMeaning>) {
        page += fmt::format("\n## Engine options: {}\n\n", displayName(effect));
        for (const EngineOption& option : engineOptionTable())
            if (option.effect == effect)
                page += itemOf(option);
    }
    return page;
}

} // namespace tilescope
