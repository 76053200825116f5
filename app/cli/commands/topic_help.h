// Help of commands that take the options of a run, which are too many for one page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilescope::cli {

/// The help of a command whose path is `name` ("tilescope run"). Of one that takes the options of a
/// run: its own options and a line for each topic, or, where `args` have a word after --help, the
/// options of that topic. Throws UserError for a word that is none.
std::string helpText(CLI::App& command, const std::string& parent,
                     const std::vector<std::string>& args);

} // namespace tilescope::cli
