// The operands of a Conv or MatMul as the planner's problem names their dimensions.
#pragma once

#include <string>
#include <vector>

#include "simulator/lowering/context.h"
#include "simulator/lowering/conv_tiling.h"

namespace tilescope::sim {

struct ConvOperands {
    TensorId inputTensor; ///< the operand whose field is moved over (after a swap: the right one)
    TensorId weightsTensor;
    bool weightsOwned = false; ///< laid out for this very plan, so serial slices are local
    ConvAtoms input, weights, output;
    std::vector<std::int64_t> outputAtomSizes;
    ViewDims outputView;
};

/// Lays out operands that have no place yet as the plan wants them, and names every dimension's
/// atoms. Operands whose dimensions cannot be named (a reshape that does not nest) are copied
/// first.
ConvOperands resolveOperands(LoweringContext& context, const Op& op, const ConvPlan& plan,
                             const ConvMapping& mapping, const ConvTiling& tiling);

/// "Conv_3x3", "Conv_7x7_stride2x2"; matrix products are "Conv_1".
std::string convName(const Op& op);

/// Orders on a tile: channel groups innermost (PopLibs poplin, internal shapes).
std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, std::int64_t grain);
std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvGrains& grains);
std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, std::int64_t grain);

} // namespace tilescope::sim
