
#include "core/analysis/accounting/operation_memory.h"
#include "core/analysis/compare/costs.h"

namespace tilescope {
namespace {

using BytesByOperation = std::map<OperationId, std::int64_t>;

/// The figure for a category that the compiler keeps in one variable of the whole program; none for
/// others.
std::int64_t OperationBytes::*sharedFigure(MemoryCategory category) {
    switch (category) {
    case MemoryCategory::InternalExchangeCode:
        return &OperationBytes::exchangeCode;
    case MemoryCategory::ControlCode:
        return &OperationBytes::controlCode;
    case MemoryCategory::VertexInstanceState:
        return &OperationBytes::vertexState;
    default:
        return nullptr;
    }
}

BytesByOperation byOperation(const MemoryByOperation& memory,
                             std::int64_t OperationBytes::*figure) {
    BytesByOperation sums;
    for (std::size_t i = 0; i < memory.byOperation.size(); ++i) {
        std::int64_t& sum = sums[OperationId(i)];
        for (const auto& [ipu, bytes] : memory.byOperation[i])
            sum += bytes.*figure;
    }
    for (const OperationBytes& bytes : memory.withoutOperation)
        sums[{}] += bytes.*figure;
    return sums;
}

/// Adds a variable's bytes to the pieces; those of a shared one to the operations whose parts it
/// holds, unless the parts exceed it.
void addVariable(const Variable& variable, const ProfileView& profile, Stop stop,
                 MemoryPieces& pieces) {
    const MemoryUse use{variable.category, variable.alwaysLive};
    const OperationId operation =
        variable.operation.valid() && variable.operation.index() < profile.operations(stop)->size()
            ? variable.operation
            : OperationId();
    std::int64_t left = variable.bytes.sum();
    const auto figure = variable.operation.valid() ? nullptr : sharedFigure(variable.category);
    if (figure != nullptr) {
        const BytesByOperation parts = byOperation(*memoryByOperation(profile, stop), figure);
        std::int64_t sum = 0;
        for (const auto& [of, bytes] : parts)
            sum += bytes;
        if (sum <= left)
            for (const auto& [of, bytes] : parts) {
                pieces[{of, use}] += bytes;
                left -= bytes;
            }
    }
    pieces[{operation, use}] += left;
}

} // namespace

MemoryPieces memoryPieces(const ProfileView& profile, Stop stop) {
    const StepId peak = LivenessCurve::peakOf(*profile.notAlwaysLive(stop));
    const auto& classes = *profile.livenessClasses(stop);
    MemoryPieces pieces;
    for (const Variable& v : *profile.variables(stop)) {
        const bool liveAtPeak = !v.alwaysLive && peak.valid() && v.liveness.valid() &&
                                v.liveness.index() < classes.size() &&
                                classes[v.liveness].contains(peak);
        if (v.alwaysLive || liveAtPeak)
            addVariable(v, profile, stop, pieces);
    }
    std::erase_if(pieces, [](const auto& piece) { return piece.second == 0; });
    return pieces;
}

} // namespace tilescope
