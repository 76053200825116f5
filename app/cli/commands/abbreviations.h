// Abbreviated options, as the PopLibs tools accept them (boost::program_options).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilescope::cli {

/// The arguments of `op TOOL ...` with full names: "--kernel 3" becomes "--kernel-size 3" if no
/// other option of the tool begins that way. Throws UserError naming the candidates if there are
/// several. Arguments of other commands are left unchanged.
std::vector<std::string> withWholeOptions(const CLI::App& app, std::vector<std::string> arguments);

} // namespace tilescope::cli
