// The axis over which an execution, or two, are drawn.
#pragma once

#include <optional>

#include "core/analysis/compare/cycle_alignment.h"

namespace tilescope::views {

/// Cycles, which both executions count from their begin; or places of an alignment of the two, on
/// which equal operations begin together. A place is as wide as a cycle.
class TraceAxis {
public:
    TraceAxis() = default;
    explicit TraceAxis(CycleAlignment aligned)
        : aligned_(std::move(aligned)) {}

    [[nodiscard]] bool aligned() const { return aligned_.has_value(); }
    [[nodiscard]] std::int64_t placeOf(std::int64_t cycle, bool target) const {
        return aligned_ ? aligned_->placeOf(cycle, target) : cycle;
    }
    [[nodiscard]] std::int64_t cycleAt(std::int64_t place, bool target) const {
        return aligned_ ? aligned_->cycleAt(place, target) : place;
    }
    [[nodiscard]] CycleRange placesOf(CycleRange cycles, bool target) const {
        return aligned_ ? aligned_->placesOf(cycles, target) : cycles;
    }
    [[nodiscard]] CycleRange cyclesAt(CycleRange places, bool target) const {
        return aligned_ ? aligned_->cyclesAt(places, target) : places;
    }
    /// Where the later of the two ends, both of which take `cycles` at most.
    [[nodiscard]] double end(double cycles) const {
        return aligned_ ? static_cast<double>(aligned_->length()) : cycles;
    }

private:
    std::optional<CycleAlignment> aligned_;
};

} // namespace tilescope::views
