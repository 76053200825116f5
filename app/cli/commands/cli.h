// The command line as a function, so that tests can call it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/streams.h"

namespace tilescope::sim {
struct KeptWork;
}

namespace tilescope::cli {

/// Runs `tilescope args...` (without the program's name) and gives its exit status. Never throws.
/// `kept`: what simulations of one process share.
int runCli(const std::vector<std::string>& args, const Streams& streams,
           sim::KeptWork* kept = nullptr);

} // namespace tilescope::cli
