// Variables and addresses of a large profile.
#pragma once

#include <vector>

#include "core/profile/profile.h"

namespace tilescope::test {

struct ScaleMemory {
    std::int32_t variables = 0;
    std::int32_t layers = 0;             ///< of each IPU
    std::vector<std::int32_t> firstStep; ///< liveness step of each layer, [ipu][layer]
};

/// Fills variables, liveness classes, addresses and the memory of tiles: on every IPU weights, and
/// activations that live for two layers and share addresses with those they do not meet.
void addScaleMemory(Profile& profile, const ScaleMemory& shape);

} // namespace tilescope::test
