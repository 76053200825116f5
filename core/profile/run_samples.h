// The number of samples in a run, as the factors that it is made of.
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

/// Accumulation is taken from the run's options, or else derived from the profile's throughput.
RunSamples runSamplesOf(const ProfileInfo& info);

} // namespace tilescope
