// A large profile with a believable shape, for measurements and for tests of what must not grow.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"

namespace tilescope::test {

struct ScaleOptions {
    std::int64_t steps = 300'000; ///< rows of the trace's bodies, each with times of its own
    std::int32_t ipus = 64;
    std::int32_t variables = 100'000;
    std::int32_t tilesPerIpu = 1472;
    std::int64_t hostEvents = 0; ///< of a program with eight threads, over the whole execution
};

/// A training loop over a stage for each IPU whose iterations were timed one by one, so that
/// nothing of the trace repeats: layers of sync, exchange and compute with durations that vary,
/// stream copies and a global exchange in every iteration, and a call of a function that updates
/// the weights. Tiles are loaded unevenly. The same options make the same profile.
Profile scaleProfile(const ScaleOptions& options = {});

/// Text that names of programs of one layer of every stage contain, and no others.
inline constexpr const char* scaleSearchText = "layer7/attention";

} // namespace tilescope::test
