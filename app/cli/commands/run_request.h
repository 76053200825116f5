// The model and the options given to `run` and `sweep`.
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

/// A model and the options set, by key of the option table; not yet checked against it.
struct RunRequest {
    std::string model;
    std::map<std::string, std::string> options;
};

/// Adds the options of the table to a command, by topic; those given on the command line go to
/// `options`.
void addTableOptions(CLI::App& command, std::map<std::string, std::string>& options);

/// Adds an option that takes KEY=VALUE and may be given several times; `store` gets all of them,
/// separated by commas.
CLI::Option* addPairsOption(CLI::App& command, const std::string& flag, const std::string& help,
                            const std::function<void(const std::string&)>& store);

/// Resolves MODEL (an .onnx file, a zoo name or a job .json) and the options of the command line.
/// Engine options are merged from the environment, the job and the command line, later ones taking
/// precedence; model options likewise. Throws UserError for a job that cannot be read, or a model
/// that is neither a file nor built in.
RunRequest resolveRequest(const std::string& model,
                          const std::map<std::string, std::string>& options);

/// Whether an error concerns an option set by a job file and does not name that file yet. `given`
/// are the options of the command line, `model` its MODEL.
bool isOfJob(const OptionError& error, const std::string& model,
             const std::map<std::string, std::string>& given);

} // namespace tilescope::cli
