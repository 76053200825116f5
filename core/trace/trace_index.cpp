#include "core/trace/trace_index.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/trace/range_sums.h"
#include "core/trace/search.h"

namespace tilescope {

class TraceIndex::Impl {
public:
    Impl(TraceLanes of, std::int32_t tiles)
        : lanes(std::move(of))
        , tilesPerIpu(tiles) {}

    void checkIpu(IpuId ipu) const {
        if (!ipu.valid() || ipu.value() >= lanes.ipus())
            throw UserError(
                fmt::format("there is no IPU {}: IPUs are 0 to {}", ipu.value(), lanes.ipus() - 1));
    }

    TraceLanes lanes;
    std::int32_t tilesPerIpu;
};

TraceIndex::TraceIndex(Trace trace, std::int32_t ipus, std::int32_t tilesPerIpu)
    : impl_(std::make_shared<Impl>(
          TraceLanes(std::make_shared<const Trace>(std::move(trace)), ipus), tilesPerIpu)) {}

TraceIndex::TraceIndex(std::shared_ptr<const TracePages> pages, const Target& target)
    : impl_(std::make_shared<Impl>(TraceLanes(std::move(pages), target.ipus), target.tilesPerIpu)) {
}

bool TraceIndex::inPages() const {
    return impl_->lanes.pages() != nullptr;
}

const TraceLanes& TraceIndex::lanes() const {
    return impl_->lanes;
}

const std::vector<TraceRun>& TraceIndex::runs() const {
    return impl_->lanes.trace().runs;
}

std::int64_t TraceIndex::totalCycles() const {
    std::int64_t total = 0;
    for (const TraceRun& run : runs()) {
        total = std::max(total, run.start + run.cycles);
        for (std::int32_t ipu = 0; ipu < impl_->lanes.ipus(); ++ipu)
            total = std::max(total, run.start + impl_->lanes.lane(run.body, IpuId(ipu)).length);
    }
    return total;
}

std::int64_t TraceIndex::stepCount() const {
    return executedSteps(impl_->lanes);
}

std::vector<TraceSpan> TraceIndex::spans(IpuId ipu, CycleRange range,
                                         std::int64_t minimumCycles) const {
    impl_->checkIpu(ipu);
    return collectSpans(impl_->lanes, ipu, range, minimumCycles);
}

TraceStatistics TraceIndex::statistics(IpuId ipu, CycleRange range) const {
    impl_->checkIpu(ipu);
    TraceStatistics statistics;
    statistics.cycles = std::max<std::int64_t>(0, range.cycles());
    const RangeSums sums(impl_->lanes, ipu);
    std::int64_t busy = 0;
    for (const TraceRun& run : runs()) {
        const TraceSums ofRun =
            sums.ofBody(run.body, range.begin - run.start, range.end - run.start);
        statistics.sums += ofRun;
        busy += sums.busy(run.body, range.begin - run.start, range.end - run.start, ofRun);
    }
    statistics.overlapped = std::max<std::int64_t>(0, statistics.sums.total() - busy);
    const auto share = [&](std::int64_t active, std::int64_t cycles) {
        const double all = static_cast<double>(cycles) * impl_->tilesPerIpu;
        return all > 0 ? static_cast<double>(active) / all : 0.0;
    };
    statistics.tileBalance = share(statistics.sums.activeCycles, statistics.cycles);
    statistics.parallelEfficiency =
        share(statistics.sums.computeActiveCycles, statistics.sums.compute());
    return statistics;
}

ExecutedStep TraceIndex::stepAt(std::int64_t index) const {
    return executedStep(impl_->lanes, index);
}

ExecutedStep TraceIndex::placeOf(std::int64_t index) const {
    return executedPlace(impl_->lanes, index);
}

std::int64_t TraceIndex::stepAtCycle(IpuId ipu, std::int64_t cycle) const {
    impl_->checkIpu(ipu);
    return executedStepAtCycle(impl_->lanes, ipu, cycle);
}

std::int64_t TraceIndex::findProgram(ProgramId program, std::int64_t from, bool forward) const {
    return findExecutedProgram(impl_->lanes, program, from, forward);
}

std::int64_t TraceIndex::findAny(const ProgramSet& wanted, std::int64_t from, bool forward) const {
    return findExecutedAny(impl_->lanes, wanted, from, forward);
}

std::int64_t TraceIndex::countAny(const ProgramSet& wanted, std::int64_t before) const {
    return countExecuted(impl_->lanes, wanted, before);
}

std::vector<ProgramExecutions> TraceIndex::executions(std::size_t programs) const {
    return programExecutions(impl_->lanes, programs);
}

std::vector<ProgramExecutions> TraceIndex::bodyExecutions(std::size_t programs) const {
    return tilescope::bodyExecutions(impl_->lanes, programs);
}

std::optional<ExecutedCall> TraceIndex::findCall(ProgramId program) const {
    return findExecutedCall(impl_->lanes, program);
}

} // namespace tilescope
