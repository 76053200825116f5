// One function an operation family; each file is one idea.
#pragma once

#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

void lowerConvolution(LoweringContext& context, const Op& op); ///< Conv and MatMul
void lowerElementwise(LoweringContext& context, const Op& op);
void lowerReduce(LoweringContext& context, const Op& op);
void lowerJointReduce(LoweringContext& context, const Op& op);
void lowerPool(LoweringContext& context, const Op& op);
void lowerStash(LoweringContext& context, const Op& op);
void lowerRestore(LoweringContext& context, const Op& op);
void lowerFifo(LoweringContext& context, const Op& op);
void lowerRemoteLoad(LoweringContext& context, const Op& op);
void lowerRemoteStore(LoweringContext& context, const Op& op);
/// Stashes, restores and FIFOs whose rows are in streaming memory.
void lowerRemoteStash(LoweringContext& context, const Op& op);
void lowerRemoteRestore(LoweringContext& context, const Op& op);
void lowerRemoteFifo(LoweringContext& context, const Op& op);
void lowerCollective(LoweringContext& context, const Op& op);
void lowerShard(LoweringContext& context, const Op& op);
void lowerPoolGrad(LoweringContext& context, const Op& op);
void lowerFill(LoweringContext& context, const Op& op);
void lowerCustom(LoweringContext& context, const Op& op);
void lowerCtcLoss(LoweringContext& context, const Op& op);
void lowerCtcBeamSearch(LoweringContext& context, const Op& op);
void lowerGather(LoweringContext& context, const Op& op);
void lowerMultiUpdate(LoweringContext& context, const Op& op);
void lowerView(LoweringContext& context, const Op& op);      ///< Reshape, Transpose
void lowerSelection(LoweringContext& context, const Op& op); ///< Concat, Slice, Pad, Expand

/// Lays out a tensor without a place as the operation wants it (Tensor::allocatedFor).
void placeFor(LoweringContext& context, TensorId tensor, OpId op);
/// Operands of a Conv or MatMul without a place, as its plan requires.
void placeConvOperands(LoweringContext& context, OpId op);
/// The first operand of a convolution that does not run (Graph::allocations), if it has no place.
void placeConvInput(LoweringContext& context, const Op& op, const ConvPlan& plan);
/// The probabilities, or what they are computed from, of a loss or a decoder.
void placeCtcLossData(LoweringContext& context, TensorId data, const Op& op);
void placeCtcBeamSearchData(LoweringContext& context, TensorId data, const Op& op);

/// A tensor on another IPU, laid out as at home: bytes by tile of the whole machine. Placing it
/// emits no step: copies of one moment are exchanged together.
struct IpuCopy {
    VariableId source, target;
    TileSeries sent, received;
};
IpuCopy placeIpuCopy(LoweringContext& context, const Op& op);

} // namespace tilescope::sim
