// One plan for the three passes of a fully connected layer, beside a plan for each.
#pragma once

#include <array>

#include "simulator/planner/planner.h"

namespace tilescope::sim {

/// Whether a problem is a pass of a dense layer in training.
bool isDensePass(const ConvProblem& problem);

/// The forward product of the layer that a pass belongs to.
ConvProblem denseForward(const ConvProblem& pass);

/// The plans of a layer's forward, backward and update products.
using DensePlans = std::array<ConvPlan, 3>;
/// Which of them a pass is.
std::size_t densePassIndex(const ConvProblem& pass);

/// The product of a layer's pass: 0 forward, 1 backward, 2 update.
ConvProblem densePass(const ConvProblem& forward, std::size_t index);

/// Plans all three (PopLibs poplin/ConvPlan.cpp, createPlan): a joint plan, in which each weight is
/// on one tile throughout, unless plans of their own take fewer cycles together. A joint plan is
/// not cut in time here, where PopLibs may cut output channels.
DensePlans planDense(const Target& target, const ConvProblem& forward,
                     double availableMemoryProportion,
                     OverMemory overMemory = OverMemory::LeastMemory);

} // namespace tilescope::sim
