// Every command that reads a profile, on one that is damaged.
#pragma once

#include "tests/bench/damage/supervisor.h"

namespace tilescope::bench {

/// Runs the commands in this process; the verdict is the worst of theirs, without what they say
/// about `good` too, which is one profile for the life of the process.
JobResult visitByCommands(const std::string& profile, const std::string& good, const Progress& at);

} // namespace tilescope::bench
