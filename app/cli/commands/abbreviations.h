// Options by their beginnings, as the PopLibs tools take them (boost::program_options).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilescope::cli {

/// The arguments of `op TOOL ...` with whole names: "--kernel 3" is "--kernel-size 3" where no
/// other option of the tool begins so. Throws UserError that names the options if there are
/// several. Arguments of other commands stay as they are.
std::vector<std::string> withWholeOptions(const CLI::App& app, std::vector<std::string> arguments);

} // namespace tilescope::cli
