// The options of tools on the command line, with those that mean nothing here.
#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

/// A JSON value as it would be on the command line: "{1,2}" for an array.
std::string textOf(const boost::json::value& value) {
    if (value.is_string())
        return std::string(value.get_string());
    std::string text = boost::json::serialize(value);
    std::replace(text.begin(), text.end(), '[', '{');
    std::replace(text.begin(), text.end(), ']', '}');
    return text;
}

/// Whether a value may be left out: PopLibs' tools have some of these options as flags.
bool isFlag(const std::string& value) {
    return value == "true" || value == "false";
}

} // namespace

std::vector<IgnoredOptions> commonIgnored() {
    return {
        {"--target and --tiles-per-ipu choose the machine, of which one IPU is simulated",
         {"device-type", "ipus", "workers-per-tile", "replication-factor"}},
        {"no values are computed",
         {"ignore-data", "tolerance", "absolute-tolerance", "abs-tolerance", "rel-tolerance",
          "seed", "num-determinism-checks", "print", "verbose", "verbosity-level"}},
        {"--output writes a profile, --json and --explain print plans",
         {"profile", "profile-json", "profile-format", "profile-dir", "use-unstable-format",
          "show-execution-steps", "show-var-storage", "report-plan", "report-var-storage"}},
        {"each step is simulated", {"compile-only", "plan-only"}},
    };
}

ToolOptions::ToolOptions(CLI::App& command, const Tool& tool, OpArguments& arguments)
    : arguments_(arguments)
    , json_(tool.json) {
    arguments_.values = tool.defaults;
    for (auto& [key, value] : arguments_.values) {
        CLI::Option* option = command.add_option("--" + key, value);
        if (value.empty())
            option->required();
        else if (isFlag(value))
            option->expected(0, 1)->description("[" + value + "]");
        else
            option->capture_default_str();
        if (std::find(tool.repeatable.begin(), tool.repeatable.end(), key) != tool.repeatable.end())
            option->join(';');
    }
    for (const JsonOption& json : json_)
        command.add_option("--" + json.name, jsonTexts_[json.name], "a JSON object");
    std::vector<IgnoredOptions> all = tool.ignored;
    for (IgnoredOptions& common : commonIgnored())
        all.push_back(std::move(common));
    for (const IgnoredOptions& options : all)
        for (const std::string& name : options.names)
            if (command.get_option_no_throw("--" + name) == nullptr)
                ignored_.push_back({command.add_option("--" + name, ignoredTexts_[name])
                                        ->expected(0, 1)
                                        ->group("Accepted without effect"),
                                    options.because});
}

void ToolOptions::readJson(const JsonOption& json, std::vector<std::string>& unknown) {
    const std::string& text = jsonTexts_[json.name];
    if (text.empty())
        return;
    boost::system::error_code error;
    const boost::json::value parsed = boost::json::parse(text, error);
    if (error || !parsed.is_object())
        throw UserError(fmt::format("--{}: '{}' is not a JSON object", json.name, text));
    for (const auto& [key, value] : parsed.get_object()) {
        const auto known = json.arguments.find(std::string(key));
        if (known == json.arguments.end())
            unknown.push_back(fmt::format("{} of --{}", std::string(key), json.name));
        else if (known->second == "available-memory-proportion")
            arguments_.proportion = textOf(value);
        else if (known->second == "partials-type")
            arguments_.partialsType = textOf(value);
        else
            arguments_.values.at(known->second) = textOf(value);
    }
}

void ToolOptions::resolve(std::ostream& notes) {
    std::vector<std::string> unknown;
    for (const JsonOption& json : json_)
        readJson(json, unknown);
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const Given& given : ignored_) {
        if (given.option->count() == 0)
            continue;
        if (reasons.empty() || reasons.back().first != given.because)
            reasons.emplace_back(given.because, std::vector<std::string>());
        reasons.back().second.push_back("--" + given.option->get_lnames().front());
    }
    if (!unknown.empty())
        reasons.emplace_back("plans are those of the simulated planner", std::move(unknown));
    for (const auto& [because, options] : reasons)
        notes << fmt::format("note: {} without effect: {}\n", fmt::join(options, ", "), because);
}

} // namespace tilescope::cli
