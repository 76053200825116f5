// The command line as a function, so that tests can call it.
#pragma once

#include <string>
#include <vector>

#include "app/cli/streams.h"

namespace tilescope::cli {

/// Runs `tilescope args...` (without the program's name) and gives its exit status. Never throws.
int runCli(const std::vector<std::string>& args, const Streams& streams);

} // namespace tilescope::cli
