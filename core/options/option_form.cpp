#include "core/options/option_form.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/options/option_table.h"
#include "core/target/target_file.h"

namespace tilescope {
namespace {

std::vector<OptionGroup> makeGroups() {
    std::vector<OptionGroup> groups;
    for (const OptionTopic topic : optionTopics) {
        groups.push_back({std::string(displayName(topic)), {}});
        for (const OptionSpec& spec : runOptionTable())
            if (spec.topic == topic)
                groups.back().keys.push_back(spec.key);
    }
    return groups;
}

/// The number of tiles of a target; empty if its file cannot be read.
std::string tilesOf(const std::string& target) {
    try {
        return std::to_string(namedTarget(target).tilesPerIpu);
    } catch (const UserError&) {
        return {};
    }
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

namespace {

bool isPlain(char c) {
    constexpr std::string_view others = "-_./=:,+@%";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
}

// Between single quotes a shell takes everything literally except the quote itself.
std::string quoted(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

const std::string& valueOf(const OptionSpec& spec,
                           const std::map<std::string, std::string>& options) {
    const auto given = options.find(spec.key);
    return given == options.end() ? spec.defaultValue : given->second;
}

} // namespace

std::vector<std::string> runArguments(const std::string& model,
                                      const std::map<std::string, std::string>& options,
                                      const std::string& directory,
                                      const std::map<std::string, std::string>& ofModel) {
    std::vector<std::string> arguments{"run", model};
    for (const OptionSpec& spec : runOptionTable()) {
        const std::string& value = valueOf(spec, options);
        const bool isFlag = spec.type == OptionSpec::Type::Flag;
        if (value == valueOf(spec, ofModel) || (isFlag && value != "on"))
            continue;
        arguments.push_back(spec.flag);
        if (!isFlag)
            arguments.push_back(value);
    }
    if (!directory.empty()) {
        arguments.emplace_back("-o");
        arguments.push_back(directory);
    }
    return arguments;
}

std::string shellLine(const std::string& program, const std::vector<std::string>& arguments) {
    std::string line = quoted(program);
    for (const std::string& argument : arguments)
        line += ' ' + quoted(argument);
    return line;
}

std::map<std::string, std::string> withoutValues(std::map<std::string, std::string> options) {
    // The optimizer divides by a scale that is not known beforehand.
    if (const auto scaling = options.find("automaticLossScaling");
        scaling != options.end() && scaling->second == "on")
        return options;
    for (const OptionSpec& spec : runOptionTable())
        if (spec.topic == OptionTopic::Compute)
            options.erase(spec.key);
    return options;
}

std::map<std::string, std::string> optionsInForce(const RunOptions& options) {
    std::map<std::string, std::string> texts;
    for (const OptionSpec& spec : runOptionTable()) {
        std::string value = spec.get(options);
        const bool says = spec.topic != OptionTopic::Compute || options.compute.enabled ||
                          (options.compute.byProgram && value != spec.defaultValue);
        if (says && !value.empty())
            texts[spec.key] = std::move(value);
    }
    return texts;
}

std::map<std::string, std::string>
changedOptions(const std::map<std::string, std::string>& inForce) {
    const RunOptions fresh;
    std::map<std::string, std::string> changed;
    for (const OptionSpec& spec : runOptionTable()) {
        const auto given = inForce.find(spec.key);
        if (given == inForce.end() || given->second.empty())
            continue;
        // The target sets its own number of tiles: using all of them is not a value.
        if (spec.key == "tilesPerIpu") {
            const auto target = inForce.find("target");
            if (given->second ==
                tilesOf(target == inForce.end() ? fresh.machine.target.name : target->second))
                continue;
        }
        if (given->second != spec.defaultValue)
            changed[spec.key] = given->second;
    }
    return changed;
}

} // namespace tilescope
