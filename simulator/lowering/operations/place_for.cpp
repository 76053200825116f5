// Tensors that are allocated for an operation which is not the first to read them.
#include "core/base/error.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {

void placeFor(LoweringContext& context, TensorId tensor, OpId id) {
    const Op& op = context.graph().ops[id];
    if (isPlanned(op.attributes))
        placeConvOperands(context, id);
    else if (std::holds_alternative<CtcLossAttributes>(op.attributes))
        placeCtcLossData(context, tensor, op);
    else if (std::holds_alternative<CtcBeamSearchAttributes>(op.attributes))
        placeCtcBeamSearchData(context, tensor, op);
    else
        throw InternalError("no tensors are allocated for operations like '" + op.name + "'");
}

} // namespace tilescope::sim
