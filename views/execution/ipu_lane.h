// Lanes of IPUs in the execution trace.
#pragma once

#include "views/execution/lane_sources.h"

namespace tilescope::views {

/// A lane for each IPU that is asked for.
void addIpuLanes(LaneSources& lanes, const TraceQuestion& question, bool target);

/// LaneSource::key() of the lane of an IPU.
std::string ipuLaneKey(IpuId ipu, bool target);

} // namespace tilescope::views
