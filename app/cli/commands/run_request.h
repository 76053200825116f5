// The model and the options that `run` and `sweep` are given.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/options/option_error.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tilescope::cli {

/// A model and what was set, by key of the option table; not yet checked against it.
struct RunRequest {
    std::string model;
    std::map<std::string, std::string> options;
};

/// Adds the options of the table to a command, by topic; what is given on the command line goes to
/// `options`.
void addTableOptions(CLI::App& command, std::map<std::string, std::string>& options);

/// Adds an option that takes KEY=VALUE and may be given several times; `store` gets all of them,
/// separated by commas.
CLI::Option* addPairsOption(CLI::App& command, const std::string& flag, const std::string& help,
                            const std::function<void(const std::string&)>& store);

/// Resolves MODEL (an .onnx file, a zoo name or a job .json) and the options of the command line.
/// Engine options of the environment come first, then the job's, then the command line's; model
/// options add up likewise. Throws
/// UserError for a job that cannot be read, or a model that is neither a file nor built in.
RunRequest resolveRequest(const std::string& model,
                          const std::map<std::string, std::string>& options);

/// Whether an error is about an option that a job file gives, `given` being those of the command
/// line, and does not name that file yet. `model` is what the command line says.
bool isOfJob(const OptionError& error, const std::string& model,
             const std::map<std::string, std::string>& given);

} // namespace tilescope::cli
