#include "simulator/compute/kernels/kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <variant>

#include "core/base/error.h"
#include "simulator/compute/kernels/exceptions.h"
#include "simulator/compute/kernels/random_numbers.h"

namespace tilescope::sim {
namespace {

template <class T, class... Others> constexpr bool isAnyOf = (std::is_same_v<T, Others> || ...);

/// Operations that depend on more than their operands.
template <class T>
constexpr bool isMovement =
    isAnyOf<T, IpuCopyAttributes, StashAttributes, RestoreAttributes, FifoAttributes,
            RemoteLoadAttributes, RemoteStoreAttributes, CollectiveAttributes, ShardAttributes,
            CallAttributes, LoopAttributes>;
/// Operations that have cycles and bytes here, but no values.
template <class T>
constexpr bool isTimedOnly =
    isAnyOf<T, CustomAttributes, CtcLossAttributes, CtcBeamSearchAttributes>;

/// Whether the elements of results are those of operands, or differ in their signs.
bool selectsElements(const Attributes& attributes) {
    if (const auto* elementwise = std::get_if<ElementwiseAttributes>(&attributes))
        switch (elementwise->function) {
        case ElementwiseFunction::Relu:
        case ElementwiseFunction::Abs:
        case ElementwiseFunction::Negate:
        case ElementwiseFunction::Max:
        case ElementwiseFunction::Min:
            return true;
        default:
            return false;
        }
    const auto* pool = std::get_if<PoolAttributes>(&attributes);
    return pool != nullptr && pool->kind == PoolKind::Max;
}

/// Whether rounding to halves would change nothing, but pass over all of the memory once more.
bool staysInHalves(const KernelCall& call) {
    return isView(call.op.attributes) ||
           (selectsElements(call.op.attributes) &&
            std::all_of(call.op.inputs.begin(), call.op.inputs.end(), [&](TensorId input) {
                return call.graph.tensors[input].type == DataType::Half;
            }));
}

void roundResults(KernelCall& call) {
    if (staysInHalves(call))
        return;
    std::uint64_t key = roundingKey(call.place);
    for (TensorData& result : call.outputs)
        if (!result.isEmpty() && result.type() == DataType::Half)
            storeAsHalves(result.reals(), call.context.rounding, ++key);
}

} // namespace

bool isKernel(const Attributes& attributes) {
    return std::visit([]<class T>(const T&) { return !isMovement<T>; }, attributes);
}

std::uint64_t roundingKey(const ComputePlace& place) {
    ComputePlace own = place;
    own.randomStream = -1; // none of the numbers that an operation draws
    own.iteration = place.execution;
    own.microBatch = 0;
    return RandomNumbers(own).key();
}

void runKernel(KernelCall& call) {
    const OperandCheck check(call);
    std::visit(
        [&]<class T>(const T& kind) {
            if constexpr (isMovement<T>)
                throw InternalError(fmt::format("{} is not a kernel", call.op.name));
            else if constexpr (isTimedOnly<T>)
                throw UserError(fmt::format("'{}' ({}) has cycles and bytes but no values here; "
                                            "leave --compute out",
                                            call.op.name, call.op.kind()));
            else
                compute(kind, call);
        },
        call.op.attributes);
    check.results(call);
    roundResults(call);
}

} // namespace tilescope::sim
