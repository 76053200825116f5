// Elementwise functions: by the types of operands and result.
#include "simulator/compute/kernels/elementwise_loops.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {
namespace {

bool anyReal(const std::vector<TensorData>& operands) {
    return std::any_of(operands.begin(), operands.end(),
                       [](const TensorData& operand) { return operand.isReal(); });
}

bool computeOne(const ElementwiseAttributes& e, const TensorData& x, const RealResult& result) {
    return result.data.isReal() ? computeUnary(e, asReals(x), result)
                                : computeWholeUnary(e, x, result.data);
}

bool computeTwo(const ElementwiseAttributes& e, const TensorData& a, const TensorData& b,
                const RealResult& result) {
    if (result.data.isReal())
        return computeBinary(e, asReals(a), asReals(b), result);
    if (a.isReal() || b.isReal())
        return computeComparison(e.function, asReals(a), asReals(b), result.data);
    return computeWholeBinary(e, a, b, result.data);
}

/// Of one operand or two.
bool computeFew(const ElementwiseAttributes& e, KernelCall& call) {
    const std::optional<HalfStore> store = storeOfBlocks(call);
    const RealResult result{call.makeOver(), store ? &*store : nullptr};
    call.isRounded = store.has_value();
    const TensorData& first = call.inputs[0];
    return call.inputs.size() == 1 ? computeOne(e, first, result)
                                   : computeTwo(e, first, call.inputs[1], result);
}

/// Combines operand after operand with the result so far.
bool computeMany(const ElementwiseAttributes& e, KernelCall& call) {
    TensorData sum = call.inputs[0];
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
        const bool last = i + 1 == call.inputs.size();
        const Shape shape = broadcastShapes(sum.shape(), call.inputs[i].shape());
        const bool goesOn = i > 1 && shape == sum.shape();
        TensorData next =
            goesOn ? sum : TensorData(call.graph.tensors[call.op.outputs[0]].type, shape);
        if (!computeTwo(e, sum, call.inputs[i], next))
            return false;
        sum = next;
        if (last)
            call.outputs.at(0) = sum;
    }
    return true;
}

} // namespace

void compute(const ElementwiseAttributes& elementwise, KernelCall& call) {
    if (computeUpdate(elementwise, call) || computeRandom(elementwise, call) ||
        computeConversion(elementwise, call))
        return;
    const bool known =
        call.inputs.size() <= 2 ? computeFew(elementwise, call) : computeMany(elementwise, call);
    if (!known)
        throw InternalError(fmt::format("'{}': {} of {} has no kernel", call.op.name,
                                        traitsOf(elementwise.function).name,
                                        anyReal(call.inputs) ? "reals" : "whole numbers"));
}

} // namespace tilescope::sim
