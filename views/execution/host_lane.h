// The lane of the host in the execution trace.
#pragma once

#include "views/execution/lane_sources.h"

namespace tilescope::views {

/// A lane of the host of a profile, if the question has one: rows of the runs, of stream callbacks,
/// which are made from the copies of the IPUs that are asked for, and of the program's threads. A
/// wait that goes on beyond the range that is read has no steps.
void addHostLane(LaneSources& lanes, const TraceQuestion& question, bool target);

} // namespace tilescope::views
