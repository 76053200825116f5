// The order of the elements of a convolution's operands on a tile.
#pragma once

#include <vector>

#include "simulator/lowering/operations/conv_tiling.h"

namespace tilescope::sim {

/// Orders on a tile: channel groups innermost, in them the conv groups that a vertex takes together
/// (PopLibs poplin, internal shapes).
std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, const ConvPlan& plan);
std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvPlan& plan);
std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, const ConvPlan& plan);

/// Orders of operands that are laid out for a plan. Their last group is not padded: groups are the
/// greatest that divide both the plan's and the channels (PopLibs poplin/Convolution.cpp,
/// getInChansPerGroup and getOutChansPerGroup). `sizes`: of the storage's atoms.
std::vector<OrderLevel> storedInputOrder(const ConvAtoms& atoms, const ConvPlan& plan,
                                         const std::vector<std::int64_t>& sizes);
std::vector<OrderLevel> storedWeightsOrder(const ConvAtoms& atoms, const ConvPlan& plan,
                                           const std::vector<std::int64_t>& sizes);

} // namespace tilescope::sim
