// What a form needs to show the option table to people: groups, bounds and the
// command line of a form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/option_table.h"
#include "core/options/run_options.h"

namespace tilescope {

/// Options that belong together under a heading.
struct OptionGroup {
    std::string title;             ///< "Machine"
    std::vector<std::string> keys; ///< in the order of the form
};

/// Every option of the table once, by topic.
const std::vector<OptionGroup>& optionGroups();

/// The bounds of a number; none for other options. The most tiles depend on the target of
/// `options`.
std::optional<OptionRange> optionRange(std::string_view key, const RunOptions& options);

/// Checks a value against the table: "" if it is allowed, otherwise the error.
std::string optionProblem(const OptionSpec& spec, const RunOptions& others,
                          const std::string& value);

/// Arguments of `tilescope`: run MODEL, the options that differ from those the model sets itself
/// (as a job file does), or otherwise from their defaults, -o DIRECTORY. A flag that is set cannot
/// be unset.
std::vector<std::string> runArguments(const std::string& model,
                                      const std::map<std::string, std::string>& options,
                                      const std::string& directory,
                                      const std::map<std::string, std::string>& ofModel = {});

/// Arguments as a line for a POSIX shell, quoted where needed, with `program` in front.
std::string shellLine(const std::string& program, const std::vector<std::string>& arguments);

/// The options of a run that takes as long on the machine but computes no values, which is what
/// takes time here: without those that only affect values. Unchanged if one of these changes the
/// program.
std::map<std::string, std::string> withoutValues(std::map<std::string, std::string> options);

/// The options of a run with their values, as a profile has them.
std::map<std::string, std::string> optionsInForce(const RunOptions& options);

/// The options in force that differ from their defaults.
std::map<std::string, std::string>
changedOptions(const std::map<std::string, std::string>& inForce);

} // namespace tilescope
