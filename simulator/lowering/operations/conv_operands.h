// The operands of a Conv or MatMul in terms of the dimensions of the planner's problem.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/operations/conv_tiling.h"
#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

struct ConvOperands {
    TensorId inputTensor; ///< the operand whose field is moved over (after a swap: the right one)
    TensorId weightsTensor;
    /// Laid out for this plan, so serial slices are local.
    bool inputOwned = false, weightsOwned = false;
    ConvAtoms input, weights, output;
    /// Sizes of the atoms of an operand whose kernel dimensions are folded into its channels: the
    /// atoms of that operand are then those of the unfolded elements, which no storage has.
    std::vector<std::int64_t> unfoldedSizes;
    bool inputUnfolded = false, weightsUnfolded = false;
    std::vector<int> channelAtoms; ///< of the unfolded operand's storage: its input channels
    std::vector<std::int64_t> outputAtomSizes;
    ViewDims outputView;
};

/// Lays out operands that have no place yet as the plan requires, and names every dimension's
/// atoms. Operands whose dimensions cannot be named (a reshape that does not nest) are copied
/// first.
ConvOperands resolveOperands(LoweringContext& context, const Op& op, const ConvPlan& plan,
                             const ConvTiling& tiling);

/// "Conv_3x3", "Conv_7x7_stride2x2"; matrix products are "Conv_1".
std::string convName(const Op& op);

} // namespace tilescope::sim
