#include "core/analysis/trace_window.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/trace/executions.h"
#include "core/analysis/trace/lanes.h"
#include "core/analysis/trace/search.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

/// Entries [first, end) of a lane that touch cycles [from, to).
struct Touched {
    std::size_t first = 0;
    std::size_t end = 0;
};

Touched touchedEntries(const Lane& lane, std::int64_t from, std::int64_t to) {
    const auto first = std::upper_bound(lane.maxEnd.begin(), lane.maxEnd.end(), from);
    const auto end = std::lower_bound(
        lane.entries.begin(), lane.entries.end(), to,
        [](const LaneEntry& entry, std::int64_t cycle) { return entry.begin < cycle; });
    const auto at = static_cast<std::size_t>(first - lane.maxEnd.begin());
    return {at, std::max(at, static_cast<std::size_t>(end - lane.entries.begin()))};
}

/// Sums over a range, from the lanes of one IPU.
class RangeSums {
public:
    RangeSums(const TraceLanes& lanes, IpuId ipu)
        : lanes_(lanes)
        , ipu_(ipu) {}

    /// `from` and `to` count from the start of the body.
    [[nodiscard]] TraceSums ofBody(TraceBodyId body, std::int64_t from, std::int64_t to) const {
        const Lane& lane = lanes_.lane(body, ipu_);
        if (from <= 0 && to >= lane.length)
            return lane.total;
        const Touched touched = touchedEntries(lane, from, to);
        TraceSums sums;
        if (!lane.sequential || touched.end - touched.first <= 2) {
            for (std::size_t i = touched.first; i < touched.end; ++i)
                sums += ofEntry(body, lane.entries[i], from, to);
            return sums;
        }
        // One after the other: only the first and the last can be cut.
        sums = lanes_.sumsOf(body, ipu_, touched.first + 1, touched.end - 1);
        sums += ofEntry(body, lane.entries[touched.first], from, to);
        sums += ofEntry(body, lane.entries[touched.end - 1], from, to);
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

/// Collects what a range shows at a level of detail, from the lanes of one IPU.
class SpanCollector {
public:
    SpanCollector(const TraceLanes& lanes, IpuId ipu, CycleRange range, std::int64_t minimum)
        : lanes_(lanes)
        , ipu_(ipu)
        , range_(range)
        , minimum_(minimum) {}

    std::vector<TraceSpan> collect() {
        std::int64_t firstStep = 0;
        for (std::size_t i = 0; i < lanes_.trace().runs.size(); ++i) {
            const TraceRun& run = lanes_.trace().runs[i];
            run_ = static_cast<std::int32_t>(i);
            body(run.body, run.start, firstStep);
            firstStep += lanes_.stepCount(run.body);
        }
        return std::move(spans_);
    }

private:
    void body(TraceBodyId id, std::int64_t base, std::int64_t firstStep) {
        const Lane& lane = lanes_.lane(id, ipu_);
        const auto [first, end] = touchedEntries(lane, range_.begin - base, range_.end - base);
        for (std::size_t i = first; i < end;) {
            const LaneEntry& entry = lane.entries[i];
            const std::int64_t step =
                firstStep + lanes_.stepsBefore(id)[static_cast<std::size_t>(entry.item)];
            if (minimum_ > 1 && entry.end - entry.begin < minimum_) {
                i = narrow(id, lane, i, base, step);
                continue;
            }
            if (lanes_.callOf(id, entry) != nullptr)
                call(lanes_.repetition(id, ipu_, entry), base + entry.begin, step);
            else
                single(lanes_.stepOf(id, entry), base, entry, step);
            ++i;
        }
    }

    /// Merges entry `at` with those behind it that end within the minimum; returns the next entry.
    std::size_t narrow(TraceBodyId id, const Lane& lane, std::size_t at, std::int64_t base,
                       std::int64_t step) {
        const LaneEntry& entry = lane.entries[at];
        const auto next =
            std::upper_bound(lane.maxEnd.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                             lane.maxEnd.end(), entry.begin + minimum_);
        const auto end = static_cast<std::size_t>(next - lane.maxEnd.begin());
        if (end == at + 1 && lanes_.callOf(id, entry) == nullptr)
            single(lanes_.stepOf(id, entry), base, entry, step);
        else
            merged(lanes_.sumsOf(id, ipu_, at, end), base + entry.begin,
                   base + std::max(entry.end, lane.maxEnd[end - 1]), step);
        return end;
    }

    void call(const Repetition& r, std::int64_t base, std::int64_t firstStep) {
        const auto [first, end] = r.touched(range_.begin - base, range_.end - base);
        const std::int64_t steps = lanes_.stepCount(r.callee);
        if (minimum_ <= 1 || r.period >= minimum_) {
            for (std::int64_t k = first; k < end; ++k)
                body(r.callee, base + k * r.period, firstStep + k * steps);
            return;
        }
        if (r.period <= 0)
            return;
        // Bins start at multiples of their width, so that panning does not make them flicker.
        const std::int64_t bin = std::max<std::int64_t>(1, minimum_ / r.period);
        const TraceSums& once = lanes_.lane(r.callee, ipu_).total;
        for (std::int64_t k = first / bin * bin; k < end; k += bin) {
            const std::int64_t count = std::min(bin, r.count - k);
            merged(once.times(count), base + k * r.period,
                   base + (k + count - 1) * r.period + r.length, firstStep + k * steps);
        }
    }

    void single(const TraceStep& step, std::int64_t base, const LaneEntry& entry,
                std::int64_t index) {
        spans_.push_back(
            {base + entry.begin, base + entry.end, step.kind, step.program, index, 1, run_});
    }

    void merged(const TraceSums& sums, std::int64_t begin, std::int64_t end, std::int64_t index) {
        if (sums.steps == 0)
            return;
        TraceSpan span{begin, end, sums.dominantKind(), {}, index, sums.steps, run_};
        if (sums.steps == 1)
            span.program = executedStep(lanes_, index).program;
        spans_.push_back(span);
    }

    const TraceLanes& lanes_;
    IpuId ipu_;
    CycleRange range_;
    std::int64_t minimum_;
    std::int32_t run_ = 0;
    std::vector<TraceSpan> spans_;
};

} // namespace

class TraceIndex::Impl {
public:
    Impl(Trace trace, std::int32_t ipus, std::int32_t tiles)
        : lanes(std::move(trace), ipus)
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
    : impl_(std::make_shared<Impl>(std::move(trace), ipus, tilesPerIpu)) {}

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
    return SpanCollector(impl_->lanes, ipu, range, minimumCycles).collect();
}

TraceStatistics TraceIndex::statistics(IpuId ipu, CycleRange range) const {
    impl_->checkIpu(ipu);
    TraceStatistics statistics;
    statistics.cycles = std::max<std::int64_t>(0, range.cycles());
    const RangeSums sums(impl_->lanes, ipu);
    for (const TraceRun& run : runs())
        statistics.sums += sums.ofBody(run.body, range.begin - run.start, range.end - run.start);
    if (statistics.cycles > 0 && impl_->tilesPerIpu > 0)
        statistics.tileBalance = static_cast<double>(statistics.sums.activeCycles) /
                                 (static_cast<double>(statistics.cycles) * impl_->tilesPerIpu);
    return statistics;
}

ExecutedStep TraceIndex::stepAt(std::int64_t index) const {
    return executedStep(impl_->lanes, index);
}

std::int64_t TraceIndex::stepAtCycle(IpuId ipu, std::int64_t cycle) const {
    impl_->checkIpu(ipu);
    return executedStepAtCycle(impl_->lanes, ipu, cycle);
}

std::int64_t TraceIndex::findProgram(ProgramId program, std::int64_t from, bool forward) const {
    return findExecutedProgram(impl_->lanes, program, from, forward);
}

std::vector<ProgramExecutions> TraceIndex::executions(std::size_t programs) const {
    return programExecutions(impl_->lanes, programs);
}

std::optional<ExecutedCall> TraceIndex::findCall(ProgramId program) const {
    return findExecutedCall(impl_->lanes, program);
}

} // namespace tilescope
