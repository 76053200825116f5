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
    /// The first step with the most; none without steps.
    [[nodiscard]] StepId peakStep() const { return peakOf(notAlwaysLive); }
    static StepId peakOf(const std::vector<std::int64_t>& byStep);
};

/// Of a profile in memory: the bytes of each class are added at its starts and taken off at its
/// ends.
LivenessCurve livenessCurveOf(const Profile& profile);

} // namespace tilescope
