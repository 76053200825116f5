#include "simulator/compute/kernels/kernel.h"

#include <fmt/format.h>
#include <type_traits>
#include <variant>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

template <class T, class... Others> constexpr bool isAnyOf = (std::is_same_v<T, Others> || ...);

/// Those that depend on more than their operands.
template <class T>
constexpr bool isMovement =
    isAnyOf<T, IpuCopyAttributes, StashAttributes, RestoreAttributes, FifoAttributes,
            RemoteLoadAttributes, RemoteStoreAttributes, CollectiveAttributes, ShardAttributes,
            CallAttributes, LoopAttributes>;
/// Those that have cycles and bytes here, and no values.
template <class T>
constexpr bool isTimedOnly =
    isAnyOf<T, CustomAttributes, CtcLossAttributes, CtcBeamSearchAttributes>;

void roundResults(KernelCall& call) {
    for (TensorData& result : call.outputs)
        if (!result.isEmpty() && result.type() == DataType::Half && !isView(call.op.attributes))
            roundToHalf(result.reals());
}

} // namespace

bool isKernel(const Attributes& attributes) {
    return std::visit([]<class T>(const T&) { return !isMovement<T>; }, attributes);
}

void runKernel(KernelCall& call) {
    std::visit(
        [&]<class T>(const T& kind) {
            if constexpr (isMovement<T>)
                throw InternalError(fmt::format("{} is no kernel", call.op.name));
            else if constexpr (isTimedOnly<T>)
                throw UserError(fmt::format("'{}' ({}) has cycles and bytes but no values here; "
                                            "leave --compute out",
                                            call.op.name, call.op.kind()));
            else
                compute(kind, call);
        },
        call.op.attributes);
    roundResults(call);
}

} // namespace tilescope::sim
