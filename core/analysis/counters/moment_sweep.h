// Visits the moments of several IPUs in order of time. Internal to core/analysis/counters.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <stop_token>
#include <vector>

#include "core/analysis/counters/ipu_sweep.h"
#include "core/analysis/counters/live_memory.h"

namespace tilescope {

/// Extremes of the moments added so far; empty without any.
struct FoundExtremes {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    [[nodiscard]] bool any() const { return least <= most; }
    void add(const FoundExtremes& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

/// Extremes of what the IPUs hold together between consecutive `borders`, which ascend. One pass,
/// whose cost grows with the steps in the range. Throws Cancelled after a stop.
std::vector<FoundExtremes> extremesBetween(std::span<const std::int64_t> borders,
                                           std::deque<LiveSteps>& ipus,
                                           const std::stop_token& stop);

} // namespace tilescope
