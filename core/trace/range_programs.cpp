#include "core/trace/range_programs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/saturating.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

using Rows = std::map<ProgramId, RangeProgram>;

void add(Rows& rows, const RangeProgram& once, std::int64_t times) {
    RangeProgram& row =
        rows.try_emplace(once.program, RangeProgram{once.program, once.kind}).first->second;
    row.count = saturatingSum(row.count, saturatingProduct(once.count, times));
    row.cycles = saturatingSum(row.cycles, saturatingProduct(once.cycles, times));
    row.longest = std::max(row.longest, once.longest);
    row.waiting = saturatingSum(row.waiting, saturatingProduct(once.waiting, times));
    row.bytesIn = saturatingSum(row.bytesIn, saturatingProduct(once.bytesIn, times));
}

/// The part of a step's value that lies in some of its cycles.
std::int64_t partOf(std::int64_t value, std::int64_t cycles, std::int64_t all) {
    return cycles >= all ? value
                         : static_cast<std::int64_t>(static_cast<long double>(value) *
                                                     static_cast<long double>(cycles) /
                                                     static_cast<long double>(all));
}

/// Rows of the bodies of one IPU. Each body is walked through as a whole once.
class RangeWalk {
public:
    RangeWalk(const TraceLanes& lanes, IpuId ipu)
        : lanes_(lanes)
        , ipu_(ipu) {}

    /// Cycles count from the start of the body.
    void addBody(Rows& rows, TraceBodyId body, std::int64_t from, std::int64_t to) {
        LaneCursor cursor(lanes_, body, ipu_);
        if (from <= 0 && to >= cursor.lane().length)
            return addWhole(rows, body, 1);
        const auto [first, end] = cursor.touched(from, to);
        for (std::size_t i = first; i < end; ++i)
            addEntry(rows, body, cursor, i, from, to);
    }

private:
    void addWhole(Rows& rows, TraceBodyId body, std::int64_t times) {
        if (times <= 0)
            return;
        auto known = whole_.find(body);
        if (known == whole_.end()) {
            Rows once;
            LaneCursor cursor(lanes_, body, ipu_);
            for (std::size_t i = 0; i < cursor.lane().count; ++i)
                addEntry(once, body, cursor, i, 0, cursor.lane().length);
            known = whole_.emplace(body, std::move(once)).first;
        }
        for (const auto& [program, row] : known->second)
            add(rows, row, times);
    }

    void addEntry(Rows& rows, TraceBodyId body, LaneCursor& cursor, std::size_t at,
                  std::int64_t from, std::int64_t to) {
        const LaneEntry entry = cursor.at(at);
        const std::int64_t begin = std::max(from, entry.begin);
        const std::int64_t end = std::min(to, entry.end);
        if (begin > end || (begin == end && entry.begin != entry.end))
            return;
        if (lanes_.callOf(body, entry) == nullptr)
            return addStep(rows, entry, end - begin,
                           hasAmounts(entry) ? cursor.amountsAt(at) : StepAmounts());
        addCall(rows, lanes_.repetition(body, entry), begin - entry.begin, end - entry.begin);
    }

    static void addStep(Rows& rows, const LaneEntry& entry, std::int64_t cycles,
                        const StepAmounts& amounts) {
        RangeProgram once{entry.program, entry.kind, 1, cycles, entry.end - entry.begin};
        once.waiting = partOf(amounts.waiting, cycles, once.longest);
        once.bytesIn = partOf(amounts.bytesIn, cycles, once.longest);
        add(rows, once, 1);
    }

    void addCall(Rows& rows, const Repetition& r, std::int64_t from, std::int64_t to) {
        const auto [first, end] = r.touched(from, to);
        const auto [firstWhole, endWhole] = r.whole(from, to);
        for (std::int64_t k = first; k < firstWhole; ++k)
            addBody(rows, r.callee, from - k * r.period, to - k * r.period);
        addWhole(rows, r.callee, endWhole - firstWhole);
        for (std::int64_t k = endWhole; k < end; ++k)
            addBody(rows, r.callee, from - k * r.period, to - k * r.period);
    }

    const TraceLanes& lanes_;
    IpuId ipu_;
    std::map<TraceBodyId, Rows> whole_;
};

} // namespace

std::int64_t waitingCycles(ProgramKind kind, const StepOnIpu& step) {
    return kind != ProgramKind::OnTileExecute
               ? 0
               : std::max<std::int64_t>(0, saturatingProduct(step.cycles, step.activeTiles) -
                                               step.activeCycles);
}

std::optional<double> stepBalance(std::int64_t waiting, std::int64_t cycles, std::int32_t tiles) {
    const double all = static_cast<double>(cycles) * tiles;
    if (all <= 0)
        return std::nullopt;
    return std::clamp(1 - static_cast<double>(waiting) / all, 0.0, 1.0);
}

std::optional<double> stepBalance(ProgramKind kind, const StepOnIpu& step, std::int32_t tiles) {
    return kind == ProgramKind::OnTileExecute
               ? stepBalance(waitingCycles(kind, step), step.cycles, tiles)
               : std::nullopt;
}

std::optional<double> stepBalance(const TraceIndex& trace, IpuId ipu, CycleRange range,
                                  std::int32_t tiles) {
    if (!trace.lanes().knowsWaiting())
        return std::nullopt;
    return stepBalance(trace.statistics(ipu, range).sums.waitingCycles, range.cycles(), tiles);
}

std::vector<RangeProgram> programsIn(const TraceIndex& trace, IpuId ipu, CycleRange range) {
    Rows rows;
    RangeWalk walk(trace.lanes(), ipu);
    for (const TraceRun& run : trace.runs())
        if (run.start < range.end && run.start + run.cycles > range.begin)
            walk.addBody(rows, run.body, range.begin - run.start, range.end - run.start);
    std::vector<RangeProgram> result;
    for (const auto& [program, row] : rows)
        result.push_back(row);
    return result;
}

std::int64_t firstStepFrom(const TraceIndex& trace, double cycle) {
    std::int64_t low = 0;
    std::int64_t high = trace.stepCount();
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const ExecutedStep step = trace.stepAt(middle);
        if (!step.ipus.empty() && static_cast<double>(step.ipus.front().start) >= cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

CycleRange cyclesOf(const ExecutedStep& step) {
    CycleRange all{step.ipus.front().start, step.ipus.front().start};
    for (const StepOnIpu& ipu : step.ipus) {
        all.begin = std::min(all.begin, ipu.start);
        all.end = std::max(all.end, ipu.start + ipu.cycles);
    }
    return all;
}

std::vector<ExecutedStep> executionsIn(const TraceIndex& trace, const ProgramSet& programs,
                                       CycleRange range, std::size_t most) {
    std::vector<ExecutedStep> executions;
    // The step before may reach into the range.
    std::int64_t at =
        std::max<std::int64_t>(-1, firstStepFrom(trace, static_cast<double>(range.begin)) - 2);
    while (executions.size() < most) {
        const std::int64_t next = trace.findAny(programs, at);
        if (next <= at)
            break;
        at = next;
        ExecutedStep step = trace.stepAt(at);
        if (step.ipus.empty())
            continue;
        const CycleRange all = cyclesOf(step);
        if (all.begin >= range.end)
            break;
        if (all.end > range.begin)
            executions.push_back(std::move(step));
    }
    return executions;
}

} // namespace tilescope
