// How many samples a run takes, as the factors that it is made of.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope {

/// One run of the main program: samples() over ProfileInfo::callSeconds() is its throughput.
struct RunSamples {
    std::int64_t microBatch = 1;
    std::int64_t accumulation = 1; ///< micro-batches of a weight update; 1 in inference
    std::int64_t iterations = 1;   ///< device iterations
    std::int64_t replicas = 1;
    [[nodiscard]] std::int64_t samples() const;
};

/// Accumulation is what the run says; of a profile that does not, what its throughput comes to.
RunSamples runSamplesOf(const ProfileInfo& info);

} // namespace tilescope
