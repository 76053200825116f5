// The boxes of the lane of stream callbacks. Internal to core/analysis.
#pragma once

#include <vector>

#include "core/analysis/hosts/host_timeline.h"

namespace tilescope {

/// See HostTimeline::callbacks(): one row of what the host does for any IPU. Where one IPU waits
/// while the host serves another, it serves.
std::vector<HostBox> callbackBoxes(std::vector<TraceSpan> copies, const HostCopies& of,
                                   const std::vector<TraceRun>& runs, CycleRange range);

} // namespace tilescope
