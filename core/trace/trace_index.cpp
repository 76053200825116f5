#include "core/trace/trace_index.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/trace/counts.h"
#include "core/trace/lane_cursor.h"
#include "core/trace/search.h"
#include "core/trace/spans.h"

namespace tilescope {
namespace {

/// Sums over a range, from the lanes of one IPU.
class RangeSums {
public:
    RangeSums(const TraceLanes& lanes, IpuId ipu)
        : lanes_(lanes)
        , ipu_(ipu) {}

    /// `from` and `to` count from the start of the body.
    [[nodiscard]] TraceSums ofBody(TraceBodyId body, std::int64_t from, std::int64_t to) const {
        LaneCursor cursor(lanes_, body, ipu_);
        if (from <= 0 && to >= cursor.lane().length)
            return cursor.lane().total;
        const auto [first, end] = cursor.touched(from, to);
        const auto whole = cursor.wholeBlocks(from, to);
        TraceSums sums;
        const auto add = [&](std::size_t begin, std::size_t stop) {
            for (std::size_t i = begin; i < stop; ++i)
                sums += ofEntry(body, LaneEntry(cursor.at(i)), from, to);
        };
        if (whole.first >= whole.end) {
            add(first, end);
            return sums;
        }
        sums = cursor.sumsBefore(whole.end) - cursor.sumsBefore(whole.first);
        add(first, whole.first * entriesPerBlock);
        add(whole.end * entriesPerBlock, end);
        return sums;
    }

private:
    [[nodiscard]] TraceSums ofEntry(TraceBodyId body, const LaneEntry& entry, std::int64_t from,
                                    std::int64_t to) const {
        const std::int64_t begin = std::max(from, entry.begin);
        const std::int64_t end = std::min(to, entry.end);
        if (begin > end)
            return {};
        if (begin == entry.begin && end == entry.end)
            return lanes_.sumsOf(body, ipu_, entry);
        if (lanes_.callOf(body, entry) == nullptr)
            return lanes_.sumsOf(body, ipu_, entry).share(end - begin, entry.end - entry.begin);
        return ofCall(lanes_.repetition(body, ipu_, entry), begin - entry.begin, end - entry.begin);
    }

    [[nodiscard]] TraceSums ofCall(const Repetition& r, std::int64_t from, std::int64_t to) const {
        const auto [first, end] = r.touched(from, to);
        // Repetitions that lie in the range as a whole are one multiplication.
        const std::int64_t firstWhole =
            r.period <= 0 ? end : std::clamp((from + r.period - 1) / r.period, first, end);
        const std::int64_t endWhole =
            r.period <= 0 || to < r.length
                ? firstWhole
                : std::clamp((to - r.length) / r.period + 1, firstWhole, end);
        TraceSums sums = lanes_.lane(r.callee, ipu_).total.times(endWhole - firstWhole);
        for (std::int64_t k = first; k < firstWhole; ++k)
            sums += ofBody(r.callee, from - k * r.period, to - k * r.period);
        for (std::int64_t k = endWhole; k < end; ++k)
            sums += ofBody(r.callee, from - k * r.period, to - k * r.period);
        return sums;
    }

    const TraceLanes& lanes_;
    IpuId ipu_;
};

} // namespace

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
    for (const TraceRun& run : runs())
        statistics.sums += sums.ofBody(run.body, range.begin - run.start, range.end - run.start);
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
