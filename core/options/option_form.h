// What a form needs to show the option table to people: groups, bounds and the
// command line of a form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/run_options.h"

namespace tilescope {

/// Options that belong together under a heading.
struct OptionGroup {
    std::string title;             ///< "Machine"
    std::vector<std::string> keys; ///< in the order of the form
};

/// Every option of the table once; those that no group claims are in the last, "More".
const std::vector<OptionGroup>& optionGroups();

/// Bounds of a number, both allowed.
struct OptionRange {
    double least = 0;
    double most = 0;
};
/// None for options without numbers. The most tiles depend on the target: `options` has it.
std::optional<OptionRange> optionRange(std::string_view key, const RunOptions& options);

/// The row of an option; nullptr for an unknown key.
const OptionSpec* findOption(std::string_view key);

/// What the table says of a value: "" if it is allowed, else the error.
std::string optionProblem(const OptionSpec& spec, const RunOptions& others,
                          const std::string& value);

/// The key of the option that an error is about ("option batchSize (--batch-size): ..."), or "".
std::string optionOfError(std::string_view error);

/// Arguments of `tilescope`: run MODEL, the options that differ from what the model sets itself (a
/// job file does), else from their defaults, -o DIRECTORY. A flag that is set cannot be taken back.
std::vector<std::string> runArguments(const std::string& model,
                                      const std::map<std::string, std::string>& options,
                                      const std::string& directory,
                                      const std::map<std::string, std::string>& ofModel = {});

/// Arguments as a line for a POSIX shell, quoted where needed, with `program` in front.
std::string shellLine(const std::string& program, const std::vector<std::string>& arguments);

/// Of the options that were in force, those that differ from their defaults.
std::map<std::string, std::string>
changedOptions(const std::map<std::string, std::string>& inForce);

} // namespace tilescope
