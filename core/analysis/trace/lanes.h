// The sorted, summed-up form of a trace that TraceIndex searches. Internal to core/analysis.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/trace_statistics.h"
#include "core/profile/trace.h"

namespace tilescope {

/// A step or a call of a body on one IPU; cycles count from the start of the body.
struct LaneEntry {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t item = 0;  ///< index into TraceBody::items
    std::int32_t onIpu = 0; ///< index into TraceStep::ipus or TraceCall::ipus
};

/// What a body does on one IPU, in order of start.
struct Lane {
    std::vector<LaneEntry> entries;
    std::vector<std::int64_t> maxEnd; ///< largest end of this and all entries before it
    bool sequential = true;           ///< no two entries overlap
    std::int64_t length = 0;
    std::vector<TraceSums> blockSums; ///< sums of all entries before each block
    TraceSums total;
};

/// A repetition of a callee: `count` executions `period` cycles apart, `length` cycles each.
struct Repetition {
    TraceBodyId callee;
    std::int64_t count = 0;
    std::int64_t period = 0;
    std::int64_t length = 0;
    /// Repetitions [first, end) that touch cycles [from, to) of the call.
    struct Touched {
        std::int64_t first = 0;
        std::int64_t end = 0;
    };
    [[nodiscard]] Touched touched(std::int64_t from, std::int64_t to) const;
};

/// All lanes of a checked trace.
class TraceLanes {
public:
    TraceLanes(Trace trace, std::int32_t ipus);

    [[nodiscard]] const Trace& trace() const { return trace_; }
    [[nodiscard]] std::int32_t ipus() const { return ipus_; }
    [[nodiscard]] const Lane& lane(TraceBodyId body, IpuId ipu) const;
    /// Steps executed by a body before each of its items, then the total.
    [[nodiscard]] const std::vector<std::int64_t>& stepsBefore(TraceBodyId body) const {
        return stepsBefore_[body.index()];
    }
    [[nodiscard]] std::int64_t stepCount(TraceBodyId body) const {
        return stepsBefore_[body.index()].back();
    }
    /// The call behind an entry of a lane; it must be one.
    [[nodiscard]] Repetition repetition(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const;
    [[nodiscard]] const TraceCall* callOf(TraceBodyId body, const LaneEntry& entry) const;
    [[nodiscard]] const TraceStep& stepOf(TraceBodyId body, const LaneEntry& entry) const;
    /// What an entry of a lane does as a whole.
    [[nodiscard]] TraceSums sumsOf(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const;
    /// Sums of entries [first, end) of a lane.
    [[nodiscard]] TraceSums sumsOf(TraceBodyId body, IpuId ipu, std::size_t first,
                                   std::size_t end) const;

private:
    void buildBody(TraceBodyId body, std::int32_t depth);
    void checkItems(const TraceBody& body) const;
    void countSteps(TraceBodyId body);
    void fillLane(TraceBodyId body, IpuId ipu);
    void sumLane(TraceBodyId body, IpuId ipu);

    enum class State : std::uint8_t { New, Open, Done };
    Trace trace_;
    std::int32_t ipus_ = 0;
    std::vector<State> states_;
    std::vector<std::vector<std::int64_t>> stepsBefore_; ///< [body]
    std::vector<Lane> lanes_;                            ///< [body * ipus + ipu]
};

} // namespace tilescope
