// The sorted, summed-up form of a trace that TraceIndex searches: built in memory for a short
// trace, left in the pages of its file for a long one. Internal to core/trace.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/profile/trace.h"
#include "core/trace/step_order.h"
#include "core/trace/trace_pages.h"
#include "core/trace/trace_statistics.h"

namespace tilescope {

/// What a body does on one IPU, in order of start.
struct Lane {
    std::size_t count = 0;            ///< of entries
    std::vector<LaneEntry> entries;   ///< empty if they are in pages
    std::vector<std::int64_t> maxEnd; ///< largest end of this and all entries before it; likewise
    bool sequential = true;           ///< no two entries overlap
    bool overlaps = false;            ///< two steps do, in the body or in what it calls
    std::int64_t length = 0;
    std::vector<TraceSums> blockSums; ///< sums of all entries before each block; likewise
    const std::vector<LaneBlock>* paged = nullptr; ///< blocks of a lane in pages
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
    /// Those of them that lie entirely in these cycles.
    [[nodiscard]] Touched whole(std::int64_t from, std::int64_t to) const;
};

/// All lanes of a checked trace. Calls throw UserError where a page of the file is damaged.
class TraceLanes {
public:
    TraceLanes(std::shared_ptr<const Trace> trace, std::int32_t ipus);
    TraceLanes(std::shared_ptr<const TracePages> pages, std::int32_t ipus);

    /// Without items and steps if they are in pages.
    [[nodiscard]] const Trace& trace() const { return *trace_; }
    [[nodiscard]] const TracePages* pages() const { return pages_.get(); }
    [[nodiscard]] std::int32_t ipus() const { return ipus_; }
    [[nodiscard]] const Lane& lane(TraceBodyId body, IpuId ipu) const;
    [[nodiscard]] const StepOrder& order(TraceBodyId body) const { return orders_[body.index()]; }
    [[nodiscard]] std::int64_t stepCount(TraceBodyId body) const { return order(body).total(); }
    /// The call of an entry of a lane; it must be one.
    [[nodiscard]] Repetition repetition(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const;
    [[nodiscard]] const TraceCall* callOf(TraceBodyId body, const LaneEntry& entry) const;
    /// A step by its item, on all IPUs.
    [[nodiscard]] TraceStep stepOf(TraceBodyId body, std::size_t item) const;
    /// Sums of everything that an entry of a lane does.
    [[nodiscard]] TraceSums sumsOf(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const;

private:
    void build();
    void buildBody(TraceBodyId body, std::int32_t depth);
    void checkItems(const TraceBody& body) const;
    void checkSteps(const TraceBody& body) const;
    void checkCalls(const TraceBody& body) const;
    void checkPagedCalls(TraceBodyId body) const;
    void countSteps(TraceBodyId body);
    void fillLane(TraceBodyId body, IpuId ipu);
    void sumLane(TraceBodyId body, IpuId ipu);
    void takeLane(TraceBodyId body, IpuId ipu);
    [[nodiscard]] bool overlaps(const TraceBody& body, IpuId ipu) const;
    [[nodiscard]] Lane& laneAt(TraceBodyId body, IpuId ipu);

    enum class State : std::uint8_t { New, Open, Done };
    std::shared_ptr<const TracePages> pages_;
    std::shared_ptr<const Trace> trace_;
    std::int32_t ipus_ = 0;
    std::vector<State> states_;
    std::vector<StepOrder> orders_; ///< [body]
    std::vector<Lane> lanes_;       ///< [body * ipus + ipu]
};

} // namespace tilescope
