// Visits the moments of several IPUs in order of time. Internal to core/live.
#pragma once

#include <deque>
#include <span>
#include <stop_token>
#include <vector>

#include "core/live/ipu_sweep.h"
#include "core/live/live_cells.h"

namespace tilescope {

/// Extremes of what the IPUs hold together between consecutive `borders`, which ascend. One pass,
/// whose cost grows with the steps in the range. Throws Cancelled after a stop.
std::vector<FoundExtremes> extremesBetween(std::span<const std::int64_t> borders,
                                           std::deque<LiveSteps>& ipus,
                                           const std::stop_token& stop);

} // namespace tilescope
