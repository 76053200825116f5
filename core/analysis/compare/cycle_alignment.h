// One axis for the executions of two profiles, on which equal operations begin together.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// Maps cycles of either execution to places of an axis that has both, and back. Nothing is
/// stretched: a step takes as many places as cycles, and after the shorter of two operations, or
/// where only the other profile has one, there is a gap. Bodies are aligned once, wherever and
/// however often they are called, so that the size is that of the distinct steps and a look-up
/// costs the depth of the calls. Cheap to copy; thread-safe.
class CycleAlignment {
public:
    /// The place of a cycle of the source or target; both ascend.
    [[nodiscard]] std::int64_t placeOf(std::int64_t cycle, bool target) const;
    /// The cycle at a place; in a gap that of the step after it.
    [[nodiscard]] std::int64_t cycleAt(std::int64_t place, bool target) const;
    /// From the first cycle's place to after the last one's, without a gap that follows.
    [[nodiscard]] CycleRange placesOf(CycleRange cycles, bool target) const;
    [[nodiscard]] CycleRange cyclesAt(CycleRange places, bool target) const;
    /// Places of the axis.
    [[nodiscard]] std::int64_t length() const;
    /// Pieces of both that begin together, as a share of all, each distinct one counted once: 0
    /// to 1.
    [[nodiscard]] double matched() const;

    // Numbers of source (0) and target (1).
    using Both = std::array<std::int64_t, 2>;
    /// What begins together, or is of one side only; up to the next of its body.
    struct Part {
        Both begin{};           ///< cycles of the body
        std::int64_t place = 0; ///< of the body's axis
        std::int32_t call = -1; ///< index into Body::calls
    };
    /// Repetitions of two bodies that are aligned themselves.
    struct Call {
        std::int32_t body = -1; ///< index into Data::bodies
        Both lead{};            ///< cycles before the first
        Both count{};
        Both period{};
        std::int64_t placeLead = 0;
        std::int64_t placePeriod = 0;
    };
    struct Body {
        std::vector<Part> parts; ///< the last is the end
        std::vector<Call> calls;
    };
    struct Data {
        std::vector<Body> bodies; ///< callees before their callers; the last has the runs
        std::int64_t pieces = 0;
        std::int64_t matched = 0;
    };
    explicit CycleAlignment(Data data)
        : data_(std::make_shared<const Data>(std::move(data))) {}

private:
    [[nodiscard]] std::int64_t placeIn(const Body& body, std::int64_t cycle,
                                       std::size_t side) const;
    [[nodiscard]] std::int64_t cycleIn(const Body& body, std::int64_t place,
                                       std::size_t side) const;

    std::shared_ptr<const Data> data_;
};

/// Aligns the runs of two profiles, both of which have an execution, as alignSteps() does steps:
/// pieces of one operation between cycles at which no IPU is within a step. Stages of a pipeline
/// that run beside each other move together. Throws UserError for a damaged profile, Cancelled
/// after a stop.
CycleAlignment alignCycles(const ProfilePair& profiles, const std::stop_token& stop = {});

} // namespace tilescope
