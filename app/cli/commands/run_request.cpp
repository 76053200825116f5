#include "app/cli/commands/run_request.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/job.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::cli {
namespace fs = std::filesystem;
namespace {

using Options = std::map<std::string, std::string>;

/// A name that is neither a file nor a built-in model is most likely a mistyped built-in model.
void checkModelName(const std::string& model) {
    std::error_code error;
    if (model.ends_with(".onnx") || model.find('/') != std::string::npos || sim::isZooName(model) ||
        fs::exists(model, error))
        return;
    std::vector<std::string> names;
    for (const sim::ZooEntry& entry : sim::zooEntries())
        names.push_back(entry.name);
    throw UserError(fmt::format("there is no file and no built-in model '{}'.{} 'tilescope models' "
                                "lists the built-in models.",
                                model, didYouMean(model, names)));
}

std::string helpOf(const OptionSpec& spec) {
    std::string text = spec.help;
    if (!spec.choices.empty() && spec.type != OptionSpec::Type::Flag)
        text += fmt::format(": {}", fmt::join(spec.choices, "|"));
    if (!spec.defaultValue.empty() && spec.type != OptionSpec::Type::Flag)
        text += fmt::format(" [{}]", spec.defaultValue);
    return text;
}

/// Engine options and model options are merged from all their sources.
void addUp(RunOptions& sum, const Options& options) {
    for (const char* key : {"engineOptions", "modelOptions"})
        if (const auto given = options.find(key); given != options.end())
            setRunOption(sum, given->first, given->second);
}

} // namespace

CLI::Option* addPairsOption(CLI::App& command, const std::string& flag, const std::string& help,
                            const std::function<void(const std::string&)>& store) {
    return command
        .add_option_function<std::vector<std::string>>(
            flag,
            [store](const std::vector<std::string>& pairs) {
                store(fmt::format("{}", fmt::join(pairs, ",")));
            },
            help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("KEY=VALUE");
}

RunRequest resolveRequest(const std::string& model, const Options& options) {
    RunRequest request{model, options};
    RunOptions sum;
    if (const char* environment = std::getenv("POPLAR_ENGINE_OPTIONS"))
        if (*environment != '\0')
            addEngineOptions(sum.engine, environment, "environment variable POPLAR_ENGINE_OPTIONS");
    if (model.ends_with(".json")) {
        Job job = readJob(model);
        request.model = std::move(job.model);
        addUp(sum, job.options);
        request.options.merge(job.options);
    }
    addUp(sum, options);
    for (const OptionSpec& spec : runOptionTable())
        if (spec.key == "engineOptions" || spec.key == "modelOptions")
            if (std::string text = spec.get(sum); !text.empty())
                request.options[spec.key] = std::move(text);
    checkModelName(request.model);
    return request;
}

bool isOfJob(const OptionError& error, const std::string& model, const Options& given) {
    const std::string text = error.what();
    return model.ends_with(".json") && !given.contains(error.key()) &&
           text.find(fs::path(model).filename().string()) == std::string::npos;
}

void addTableOptions(CLI::App& command, Options& options) {
    command.set_help_all_flag("--help-all", "print all options and exit");
    for (const OptionSpec& spec : runOptionTable()) {
        const auto store = [&options, key = spec.key](const std::string& value) {
            options[key] = value;
        };
        CLI::Option* added = nullptr;
        if (spec.type == OptionSpec::Type::Pairs)
            added = addPairsOption(command, spec.flag, helpOf(spec), store);
        else if (spec.type == OptionSpec::Type::Flag)
            added = command.add_flag_callback(
                spec.flag, [store] { store("on"); }, helpOf(spec));
        else
            added = command.add_option_function<std::string>(spec.flag, store, helpOf(spec))
                        ->type_name(spec.type == OptionSpec::Type::Json ? "JSON" : "VALUE");
        added->group(std::string(displayName(spec.topic)));
    }
}

} // namespace tilescope::cli
