// Live bytes over the steps of a program.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// Not-always-live bytes over all tiles at each step, and by IPU.
struct LivenessCurve {
    std::vector<std::int64_t> notAlwaysLive;      ///< by step
    std::vector<std::vector<std::int64_t>> byIpu; ///< [ipu][step]
};

/// Of a profile in memory: the bytes of each class are added at its starts and taken off at its
/// ends.
LivenessCurve livenessCurveOf(const Profile& profile);

} // namespace tilescope
