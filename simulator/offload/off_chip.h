// What the options keep in streaming memory.
#pragma once

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Moves optimizer state and weights off the chip as the options say (RunOptions::offload), outside
/// of phased execution, which does so by itself: loads before the first operation of the forward
/// pass, of the backward pass and of the weight update that needs them, stores after the update.
void moveOffChip(Graph& graph, const RunOptions& options);

/// Smallest tensor that is worth a place off the chip, elements (popart TensorLocationSettings).
inline constexpr std::int64_t leastElementsOffChip = 2;

} // namespace tilescope::sim
