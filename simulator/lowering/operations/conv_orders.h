// In which order a tile holds the elements of a convolution's operands.
#pragma once

#include <vector>

#include "simulator/lowering/operations/conv_tiling.h"

namespace tilescope::sim {

/// Orders on a tile: channel groups innermost, in them the conv groups that a vertex takes together
/// (PopLibs poplin, internal shapes).
std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, const ConvPlan& plan);
std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvPlan& plan);
std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, const ConvPlan& plan);

} // namespace tilescope::sim
