// Equivalent forms of a convolution that the planner chooses among (PopLibs poplin/ConvTransforms).
#pragma once

#include <vector>

#include "simulator/planner/plan.h"

namespace tilescope::sim {

struct TransformedProblem {
    ConvProblem problem;
    ConvTransform transform;
};

/// All forms of a convolution whose field has every spatial dimension of the operation: each subset
/// of the dimensions with a kernel folded into the input channels (im2col), trivially convolved
/// dimensions and the batch flattened into the last field dimension, and, where that leaves a plain
/// matrix product, both orders of the operands. Groups of very few input channels are also taken
/// several as one, with zero weights between them.
std::vector<TransformedProblem> transformsOf(const ConvProblem& base);

/// A plan whose conv groups are combined as its operands see it: the groups on their own, cut in
/// grains of as many as are combined. Other plans are returned as they are.
ConvPlan withSeparateGroups(ConvPlan plan);

} // namespace tilescope::sim
