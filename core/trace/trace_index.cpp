#include "core/trace/trace_index.h"

#include <algorithm>

#include "core/trace/lanes_in_memory.h"
#include "core/trace/range_sums.h"
#include "core/trace/search.h"

namespace tilescope {

TraceIndex::TraceIndex(Trace trace, std::int32_t ipus, std::int32_t tilesPerIpu)
    : TraceIndex(
          std::make_shared<LanesInMemory>(std::make_shared<const Trace>(std::move(trace)), ipus),
          tilesPerIpu) {}

TraceIndex::TraceIndex(std::shared_ptr<const TraceLanes> lanes, std::int32_t tilesPerIpu)
    : lanes_(std::move(lanes))
    , tilesPerIpu_(tilesPerIpu) {}

const std::vector<TraceRun>& TraceIndex::runs() const {
    return lanes_->outline().runs;
}

std::int64_t TraceIndex::totalCycles() const {
    std::int64_t total = 0;
    for (const TraceRun& run : runs()) {
        total = std::max(total, run.start + run.cycles);
        for (std::int32_t ipu = 0; ipu < lanes_->ipus(); ++ipu)
            total = std::max(total, run.start + lanes_->lane(run.body, IpuId(ipu)).length);
    }
    return total;
}

std::int64_t TraceIndex::stepCount() const {
    return executedSteps(*lanes_);
}

std::vector<TraceSpan> TraceIndex::spans(IpuId ipu, CycleRange range,
                                         std::int64_t minimumCycles) const {
    requireIpu(*lanes_, ipu);
    return collectSpans(*lanes_, ipu, range, minimumCycles);
}

TraceStatistics TraceIndex::statistics(IpuId ipu, CycleRange range) const {
    requireIpu(*lanes_, ipu);
    TraceStatistics statistics;
    statistics.cycles = std::max<std::int64_t>(0, range.cycles());
    const RangeSums sums(*lanes_, ipu);
    std::int64_t busy = 0;
    for (const TraceRun& run : runs()) {
        const TraceSums ofRun =
            sums.ofBody(run.body, range.begin - run.start, range.end - run.start);
        statistics.sums += ofRun;
        busy += sums.busy(run.body, range.begin - run.start, range.end - run.start, ofRun);
    }
    statistics.overlapped = std::max<std::int64_t>(0, statistics.sums.total() - busy);
    const auto share = [&](std::int64_t active, std::int64_t cycles) {
        const double all = static_cast<double>(cycles) * tilesPerIpu_;
        return all > 0 ? static_cast<double>(active) / all : 0.0;
    };
    statistics.tileBalance = share(statistics.sums.activeCycles, statistics.cycles);
    statistics.parallelEfficiency =
        share(statistics.sums.computeActiveCycles, statistics.sums.compute());
    return statistics;
}

ExecutedStep TraceIndex::stepAt(std::int64_t index) const {
    return executedStep(*lanes_, index);
}

ExecutedStep TraceIndex::placeOf(std::int64_t index) const {
    return executedPlace(*lanes_, index);
}

std::int64_t TraceIndex::stepAtCycle(IpuId ipu, std::int64_t cycle) const {
    requireIpu(*lanes_, ipu);
    return executedStepAtCycle(*lanes_, ipu, cycle);
}

std::int64_t TraceIndex::findProgram(ProgramId program, std::int64_t from, bool forward) const {
    return findExecutedProgram(*lanes_, program, from, forward);
}

std::int64_t TraceIndex::findAny(const ProgramSet& wanted, std::int64_t from, bool forward) const {
    return findExecutedAny(*lanes_, wanted, from, forward);
}

std::int64_t TraceIndex::countAny(const ProgramSet& wanted, std::int64_t before) const {
    return countExecuted(*lanes_, wanted, before);
}

std::vector<ProgramExecutions> TraceIndex::executions(std::size_t programs) const {
    return programExecutions(*lanes_, programs);
}

std::vector<ProgramExecutions> TraceIndex::bodyExecutions(std::size_t programs) const {
    return tilescope::bodyExecutions(*lanes_, programs);
}

std::optional<ExecutedCall> TraceIndex::findCall(ProgramId program) const {
    return findExecutedCall(*lanes_, program);
}

} // namespace tilescope
