// The command line as a function, so that tests can call it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/streams.h"

namespace tilescope::sim {
struct KeptWork;
}

namespace tilescope::cli {

/// Runs `tilescope args...` (without the program's name) and returns its exit status. Never throws.
/// `kept`: work shared by the simulations of one process.
int runCli(const std::vector<std::string>& args, const Streams& streams,
           sim::KeptWork* kept = nullptr);

} // namespace tilescope::cli
