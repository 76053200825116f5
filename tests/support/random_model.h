// Model graphs made by chance, the same for a seed.
#pragma once

#include <cstdint>

#include "core/analysis/model_graph/costs.h"

namespace tilescope::test {

/// `operations` in nested scopes that follow each other like layers, with skip connections, some
/// unconnected operations, operations with the name of a scope, and scopes that run twice
/// (so that collapsed they lead to each other in a circle).
ModelGraph randomModel(std::uint32_t seed, std::size_t operations);

/// Costs of any size.
NodeCosts randomCosts(std::uint32_t seed, std::size_t operations);

} // namespace tilescope::test
