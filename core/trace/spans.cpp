
#include <algorithm>
#include <cmath>

#include "core/trace/lane_cursor.h"
#include "core/trace/search.h"

namespace tilescope {
namespace {

/// Collects what a range shows at a level of detail, from the lanes of one IPU.
class SpanCollector {
public:
    SpanCollector(const TraceLanes& lanes, IpuId ipu, CycleRange range, std::int64_t minimum)
        : lanes_(lanes)
        , ipu_(ipu)
        , range_(range)
        , minimum_(minimum > 1 ? minimum : 0) {}

    std::vector<TraceSpan> collect() {
        std::int64_t firstStep = 0;
        for (std::size_t i = 0; i < lanes_.outline().runs.size(); ++i) {
            const TraceRun& run = lanes_.outline().runs[i];
            run_ = static_cast<std::int32_t>(i);
            body(run.body, run.start, firstStep);
            firstStep += lanes_.stepCount(run.body);
        }
        return std::move(spans_);
    }

private:
    /// Neighbours that together are narrower than the minimum are gathered, a whole block at a time
    /// where possible: most pages of a long trace need not be read for a picture of all of it.
    void body(TraceBodyId id, std::int64_t base, std::int64_t firstStep) {
        LaneCursor cursor(lanes_, id, ipu_);
        const auto [first, end] = cursor.touched(range_.begin - base, range_.end - base);
        Gathered gathered;
        const auto flushAll = [&] { flush(id, gathered, base, firstStep); };
        for (std::size_t i = aligned(cursor.summary(), first); i < end;) {
            const std::size_t next = i + entriesPerBlock;
            if (i % entriesPerBlock == 0 && next <= end &&
                gather(cursor, i / entriesPerBlock, gathered, flushAll)) {
                i = next;
                continue;
            }
            const LaneEntry entry = cursor.at(i++);
            if (entry.end - entry.begin >= minimum_) {
                flushAll();
                if (i > first)
                    whole(id, entry, base, firstStep + beforeItem(id, entry.item));
                continue;
            }
            if (gathered.entries > 0 && entry.end > cellEnd(gathered.begin))
                flushAll();
            gathered.add(entry);
            if (entry.call >= 0)
                gathered.sums += lanes_.sumsOf(id, ipu_, entry);
        }
        flushAll();
    }

    // Narrow neighbours are merged within cells of a grid that begins with the body: the same in
    // each repetition, and independent of where the range begins.
    [[nodiscard]] std::int64_t cellBegin(std::int64_t cycle) const {
        return cycle / minimum_ * minimum_;
    }
    [[nodiscard]] std::int64_t cellEnd(std::int64_t cycle) const {
        return cellBegin(cycle) + minimum_;
    }

    /// The first entry of the cell of the block that an entry is in.
    [[nodiscard]] std::size_t aligned(const std::vector<LaneBlock>& blocks,
                                      std::size_t entry) const {
        const std::size_t at = entry / entriesPerBlock;
        if (minimum_ == 0 || at >= blocks.size())
            return entry;
        const std::int64_t from = cellBegin(blocks[at].begin);
        const auto block =
            std::partition_point(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(at),
                                 [from](const LaneBlock& b) { return b.begin < from; });
        return static_cast<std::size_t>(block - blocks.begin()) * entriesPerBlock;
    }

    [[nodiscard]] std::int64_t beforeItem(TraceBodyId id, std::int32_t item) const {
        return lanes_.order(id).before(static_cast<std::size_t>(item));
    }

    void whole(TraceBodyId id, const LaneEntry& entry, std::int64_t base, std::int64_t step) {
        if (entry.call >= 0)
            call(lanes_.repetition(id, entry), base + entry.begin, step);
        else
            single(base, entry, step);
    }

    struct Gathered {
        std::size_t entries = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int32_t item = 0;
        LaneBlock::Named first;
        LaneBlock::Named last;
        LaneEntry only; ///< if there is just one
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

    /// Adds a block if it is narrow, and if the gathered entries stay narrow with it.
    bool gather(LaneCursor& cursor, std::size_t at, Gathered& gathered, const auto& flushAll) {
        const LaneBlock& block = cursor.summary()[at];
        if (block.maxEnd - block.begin >= minimum_)
            return false;
        if (gathered.entries > 0 && block.maxEnd > cellEnd(gathered.begin))
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
        const auto named = [&](const LaneBlock::Named& of) {
            return of.program.valid()
                       ? TraceSpan::Named{firstStep + beforeItem(id, of.item), of.program}
                       : TraceSpan::Named{};
        };
        if (gathered.entries == 1 && gathered.only.call < 0)
            single(base, gathered.only, step);
        else
            merged(gathered.sums, base + gathered.begin, base + gathered.end, step,
                   named(gathered.first), named(gathered.last));
        gathered.entries = 0;
    }

    void call(const Repetition& r, std::int64_t base, std::int64_t firstStep) {
        const auto [first, end] = r.touched(range_.begin - base, range_.end - base);
        const std::int64_t steps = lanes_.stepCount(r.callee);
        if (r.period >= minimum_) {
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
        spans_.push_back({base + entry.begin,
                          base + entry.end,
                          entry.kind,
                          entry.program,
                          index,
                          1,
                          run_,
                          {},
                          {},
                          {}});
    }

    static KindShares sharesOf(const TraceSums& sums, std::int64_t cycles) {
        constexpr double full = 255;
        KindShares shares{};
        const auto all = static_cast<double>(std::max(cycles, sums.total()));
        for (const ProgramKind kind : programKinds)
            if (all > 0)
                shares[static_cast<std::size_t>(kind)] = static_cast<std::uint8_t>(
                    std::lround(full * static_cast<double>(sums.cycles(kind)) / all));
        return shares;
    }

    void merged(const TraceSums& sums, std::int64_t begin, std::int64_t end, std::int64_t index,
                TraceSpan::Named first = {}, TraceSpan::Named last = {}) {
        if (sums.steps == 0)
            return;
        TraceSpan span{begin, end, sums.dominantKind(), {}, index, sums.steps, run_, first,
                       last,  {}};
        if (sums.steps == 1)
            span.program =
                first.program.valid() ? first.program : executedStep(lanes_, index).program;
        else
            span.shares = sharesOf(sums, end - begin);
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

std::vector<TraceSpan> collectSpans(const TraceLanes& lanes, IpuId ipu, CycleRange range,
                                    std::int64_t minimumCycles) {
    return SpanCollector(lanes, ipu, range, minimumCycles).collect();
}

} // namespace tilescope
