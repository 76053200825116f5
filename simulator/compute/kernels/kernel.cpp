#include "simulator/compute/kernels/kernel.h"

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

void roundResults(KernelCall& call) {
    if (isView(call.op.attributes))
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
