// Bulk-synchronous timing: when each step of the program starts and ends on each IPU.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Times every control program once. Each compute set and exchange starts with a sync of the
/// tiles; the one takes as long as its slowest tile, the other as its busiest; a stream copy waits
/// for the host (Begin), moves its bytes over the host link (Mid) and syncs again (End). Bodies of
/// repeats and functions are timed once, however often they run.
Trace timeProgram(const Profile& profile, const Target& target);

} // namespace tilescope::sim
