// Operands of operations that work element by element.
#pragma once

#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

/// Brings an operand to the tiles of a result, in its order; dimensions that it lacks, or has once,
/// are broadcast. A constant number is on every tile that uses it. `index`: its number, for names.
VariableId bringLike(LoweringContext& context, OperandGather& gather, TensorId result,
                     TensorId other, std::size_t index, CopyCause cause);

/// "Op/Relu": popops names its elementwise compute sets so.
std::string computeSetName(const Op& op, ElementwiseFunction function);

/// True for a new state of a loop's step that goes where the old one is, which nothing reads after
/// `last`.
bool overwritesState(LoweringContext& context, TensorId result, OpId last);

/// In a step of a loop, makes a product and those that popnn makes in the same compute set, by
/// multiplying concatenations: products of one tensor with several, and the two products of a sum.
/// False if the operation is no such product.
bool multiplyTogether(LoweringContext& context, const Op& op);

} // namespace tilescope::sim
