#include "core/analysis/trace_window.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/trace/counts.h"
#include "core/analysis/trace/lane_cursor.h"
#include "core/analysis/trace/search.h"
#include "core/base/error.h"

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
        LaneCursor cursor(lanes_, id, ipu_);
        const auto [first, end] = cursor.touched(range_.begin - base, range_.end - base);
        if (cursor.lane().paged != nullptr && minimum_ > 1)
            return pagedBody(id, cursor, {first, end}, base, firstStep);
        for (std::size_t i = first; i < end;) {
            const LaneEntry entry = cursor.at(i);
            const std::int64_t step = firstStep + beforeItem(id, entry.item);
            if (minimum_ > 1 && entry.end - entry.begin < minimum_) {
                i = narrow(cursor, i, base, step);
                continue;
            }
            whole(id, entry, base, step);
            ++i;
        }
    }

    [[nodiscard]] std::int64_t beforeItem(TraceBodyId id, std::int32_t item) const {
        return lanes_.order(id).before(static_cast<std::size_t>(item));
    }

    void whole(TraceBodyId id, const LaneEntry& entry, std::int64_t base, std::int64_t step) {
        if (entry.call >= 0)
            call(lanes_.repetition(id, ipu_, entry), base + entry.begin, step);
        else
            single(base, entry, step);
    }

    /// Neighbours that together are narrower than the minimum, gathered block by block where a
    /// whole block is: most pages of a long trace need not be read for a picture of all of it.
    void pagedBody(TraceBodyId id, LaneCursor& cursor, LaneCursor::Touched touched,
                   std::int64_t base, std::int64_t firstStep) {
        Gathered gathered;
        const auto flushAll = [&] { flush(id, gathered, base, firstStep); };
        for (std::size_t i = touched.first; i < touched.end;) {
            const std::size_t behind = i + entriesPerBlock;
            if (i % entriesPerBlock == 0 && behind <= touched.end &&
                gather(cursor, i / entriesPerBlock, gathered, flushAll)) {
                i = behind;
                continue;
            }
            const LaneEntry entry = cursor.at(i++);
            if (entry.end - entry.begin >= minimum_) {
                flushAll();
                whole(id, entry, base, firstStep + beforeItem(id, entry.item));
                continue;
            }
            if (gathered.entries > 0 && entry.end - gathered.begin > minimum_)
                flushAll();
            gathered.add(entry);
            if (entry.call >= 0)
                gathered.sums += lanes_.sumsOf(id, ipu_, entry);
        }
        flushAll();
    }

    struct Gathered {
        std::size_t entries = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int32_t item = 0;
        LaneBlock::Named first;
        LaneBlock::Named last;
        LaneEntry only; ///< if it is one
        TraceSums sums;

        void open(std::int64_t from, std::int32_t at) {
            if (entries > 0)
                return;
            *this = {};
            begin = from;
            end = from;
            item = at;
        }
        void add(const LaneEntry& entry) {
            open(entry.begin, entry.item);
            only = entry;
            ++entries;
            end = std::max(end, entry.end);
            if (entry.call < 0) {
                sums.cyclesByKind[static_cast<std::size_t>(entry.kind)] += entry.end - entry.begin;
                ++sums.steps;
            }
            if (!entry.program.valid())
                return;
            last = {entry.item, entry.program};
            if (!first.program.valid())
                first = last;
        }
    };

    /// Adds a block if it is narrow, and if what is gathered stays so with it.
    bool gather(LaneCursor& cursor, std::size_t at, Gathered& gathered, const auto& flushAll) {
        const std::vector<LaneBlock>& blocks = *cursor.lane().paged;
        const LaneBlock& block = blocks[at];
        if (block.maxEnd - block.begin >= minimum_)
            return false;
        if (gathered.entries > 0 && block.maxEnd - gathered.begin > minimum_)
            flushAll();
        gathered.open(block.begin, block.item);
        gathered.entries += entriesPerBlock;
        gathered.end = std::max(gathered.end, block.maxEnd);
        gathered.sums += cursor.sumsBefore(at + 1) - block.before;
        if (block.last.program.valid())
            gathered.last = block.last;
        if (!gathered.first.program.valid())
            gathered.first = block.first;
        return true;
    }

    void flush(TraceBodyId id, Gathered& gathered, std::int64_t base, std::int64_t firstStep) {
        if (gathered.entries == 0)
            return;
        const std::int64_t step = firstStep + beforeItem(id, gathered.item);
        if (gathered.entries == 1 && gathered.only.call < 0) {
            single(base, gathered.only, step);
        } else if (gathered.sums.steps > 0) {
            TraceSpan span{base + gathered.begin, base + gathered.end,
                           gathered.sums.dominantKind(), {}, step, gathered.sums.steps, run_,
                           {}, {}};
            const auto named = [&](const LaneBlock::Named& of) {
                return of.program.valid()
                           ? TraceSpan::Named{firstStep + beforeItem(id, of.item), of.program}
                           : TraceSpan::Named{};
            };
            span.first = named(gathered.first);
            span.last = named(gathered.last);
            if (span.steps == 1 && span.first.program.valid())
                span.program = span.first.program;
            spans_.push_back(span);
        }
        gathered.entries = 0;
    }

    /// Merges entry `at` with those behind it that end within the minimum; returns the next entry.
    std::size_t narrow(LaneCursor& cursor, std::size_t at, std::int64_t base, std::int64_t step) {
        const Lane& lane = cursor.lane();
        const LaneEntry& entry = lane.entries[at];
        const auto next =
            std::upper_bound(lane.maxEnd.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                             lane.maxEnd.end(), entry.begin + minimum_);
        const auto end = static_cast<std::size_t>(next - lane.maxEnd.begin());
        if (end == at + 1 && entry.call < 0)
            single(base, entry, step);
        else
            merged(cursor.sums(at, end), base + entry.begin,
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

    void single(std::int64_t base, const LaneEntry& entry, std::int64_t index) {
        spans_.push_back({base + entry.begin, base + entry.end, entry.kind, entry.program, index, 1,
                          run_, {}, {}});
    }

    void merged(const TraceSums& sums, std::int64_t begin, std::int64_t end, std::int64_t index) {
        if (sums.steps == 0)
            return;
        TraceSpan span{begin, end, sums.dominantKind(), {}, index, sums.steps, run_, {}, {}};
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

TraceIndex::TraceIndex(const ProfileReader& reader) {
    const Target& target = reader.info().target;
    if (auto pages = TracePages::open(reader.file(), target.ipus))
        *this = TraceIndex(std::move(pages), target);
    else
        *this = TraceIndex(reader.trace(), target.ipus, target.tilesPerIpu);
}

TraceIndex::TraceIndex(std::shared_ptr<const TracePages> pages, const Target& target)
    : impl_(std::make_shared<Impl>(TraceLanes(std::move(pages), target.ipus), target.tilesPerIpu)) {
}

bool TraceIndex::inPages() const {
    return impl_->lanes.pages() != nullptr;
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
    return SpanCollector(impl_->lanes, ipu, range, minimumCycles).collect();
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

std::optional<ExecutedCall> TraceIndex::findCall(ProgramId program) const {
    return findExecutedCall(impl_->lanes, program);
}

} // namespace tilescope
