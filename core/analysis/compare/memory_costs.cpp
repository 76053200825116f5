#include <algorithm>

#include "core/analysis/compare/costs.h"

namespace tilescope {
namespace {

using BytesByOperation = std::map<OperationId, std::int64_t>;

/// What the compiler keeps for operations in one variable of the whole program.
class SharedBytes {
public:
    explicit SharedBytes(const ProfileParts& parts) {
        for (const Exchange& e : *parts.exchanges)
            exchangeCode_[e.operation] += e.codeBytes.sum();
        for (const Program& p : *parts.programs)
            controlCode_[p.operation] += p.controlCode.sum();
        for (const ComputeSet& set : *parts.computeSets)
            for (const VertexInstances& instances : set.vertices)
                state_[set.operation] += instances.stateBytes.sum();
    }

    [[nodiscard]] const BytesByOperation* of(MemoryCategory category) const {
        switch (category) {
        case MemoryCategory::InternalExchangeCode:
            return &exchangeCode_;
        case MemoryCategory::ControlCode:
            return &controlCode_;
        case MemoryCategory::VertexInstanceState:
            return &state_;
        default:
            return nullptr;
        }
    }

private:
    BytesByOperation exchangeCode_;
    BytesByOperation controlCode_;
    BytesByOperation state_;
};

class Pieces {
public:
    explicit Pieces(const ProfileParts& parts)
        : parts_(parts)
        , shared_(parts) {}

    void add(const Variable& variable) {
        const MemoryUse use{variable.category, variable.alwaysLive};
        const std::int64_t bytes = variable.bytes.sum();
        const BytesByOperation* parts =
            variable.operation.valid() ? nullptr : shared_.of(variable.category);
        std::int64_t left = bytes;
        if (parts != nullptr && sumOf(*parts) <= bytes)
            for (const auto& [operation, part] : *parts) {
                pieces_[{known(operation), use}] += part;
                left -= part;
            }
        pieces_[{known(variable.operation), use}] += left;
    }

    MemoryPieces finish() {
        std::erase_if(pieces_, [](const auto& piece) { return piece.second == 0; });
        return std::move(pieces_);
    }

private:
    static std::int64_t sumOf(const BytesByOperation& parts) {
        std::int64_t sum = 0;
        for (const auto& [operation, bytes] : parts)
            sum += bytes;
        return sum;
    }
    [[nodiscard]] OperationId known(OperationId id) const {
        return id.valid() && id.index() < parts_.operations->size() ? id : OperationId();
    }

    const ProfileParts& parts_;
    SharedBytes shared_;
    MemoryPieces pieces_;
};

} // namespace

StepId peakStepOf(const ProfileParts& parts) {
    const std::vector<std::int64_t>& live = *parts.notAlwaysLive;
    const auto peak = std::max_element(live.begin(), live.end());
    return peak == live.end() ? StepId() : StepId(static_cast<std::size_t>(peak - live.begin()));
}

MemoryPieces memoryPieces(const ProfileParts& parts) {
    const StepId peak = peakStepOf(parts);
    const IdVector<LivenessClassId, LivenessClass>& classes = *parts.livenessClasses;
    Pieces pieces(parts);
    for (const Variable& v : *parts.variables) {
        const bool liveAtPeak = !v.alwaysLive && peak.valid() && v.liveness.valid() &&
                                v.liveness.index() < classes.size() &&
                                classes[v.liveness].contains(peak);
        if (v.alwaysLive || liveAtPeak)
            pieces.add(v);
    }
    return pieces.finish();
}

} // namespace tilescope
