// How the execution is pipelined over IPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

struct PipelineStage {
    std::int32_t stage = 0;
    IpuId ipu;
    std::int64_t forwardCycles = 0;
    std::int64_t backwardCycles = 0;
    std::int64_t fifoDepth = 0;
    std::int64_t fifoBytes = 0;
    double occupancy = 0; ///< 0 to 1
};

struct PipelineReport {
    std::string schedule = "none"; ///< "none" if the profile is not pipelined
    std::vector<PipelineStage> stages;
    std::int64_t rampUpSlots = 0;
    std::int64_t mainSlots = 0;
    std::int64_t rampDownSlots = 0;
    double utilisation = 0;
    std::int32_t longestStage = -1; ///< -1 if there are no stages
};

/// The profile's pipeline; a profile whose execution is not pipelined has none.
PipelineReport pipelineReport(const ProfileInfo& info);

} // namespace tilescope
