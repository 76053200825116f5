// Operands of operations that work element by element.
#pragma once

#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

/// Brings an operand to the tiles of a result, in its order; dimensions that it lacks, or has once,
/// are broadcast. A constant number is on every tile that uses it. `index`: its number, for names.
VariableId bringLike(LoweringContext& context, OperandGather& gather, TensorId result,
                     TensorId other, std::size_t index, CopyCause cause);

} // namespace tilescope::sim
