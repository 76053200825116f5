// Help of commands that take the options of a run, which do not fit on one page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilescope::cli {

/// The help of a command; `parent` is the path of its parent ("tilescope"). For one that takes the
/// options of a run: its own options and a line for each topic, or, if a word follows --help in
/// `args`, the options of that topic. Throws UserError for an unknown topic.
std::string helpText(CLI::App& command, const std::string& parent,
                     const std::vector<std::string>& args);

} // namespace tilescope::cli
