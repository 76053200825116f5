#include "core/trace/range_sums.h"

#include <algorithm>

namespace tilescope {

/// Neighbours of a lane whose extents overlap, as far as they are in a range.
struct RangeSums::Group {
    std::vector<Repetition::Touched> steps; ///< cycles [first, end), by begin
    struct Call {
        LaneEntry entry;
        std::int64_t from = 0; ///< cycles of the body
        std::int64_t to = 0;
    };
    std::vector<Call> calls; ///< no two of them overlap
    std::int64_t end = 0;
};

TraceSums RangeSums::ofBody(TraceBodyId body, std::int64_t from, std::int64_t to) const {
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

TraceSums RangeSums::ofEntry(TraceBodyId body, const LaneEntry& entry, std::int64_t from,
                             std::int64_t to) const {
    const std::int64_t begin = std::max(from, entry.begin);
    const std::int64_t end = std::min(to, entry.end);
    if (begin > end)
        return {};
    if (begin == entry.begin && end == entry.end)
        return lanes_.sumsOf(body, ipu_, entry);
    if (lanes_.callOf(body, entry) == nullptr)
        return lanes_.sumsOf(body, ipu_, entry).share(end - begin, entry.end - entry.begin);
    return ofCall(lanes_.repetition(body, entry), begin - entry.begin, end - entry.begin);
}

TraceSums RangeSums::ofCall(const Repetition& r, std::int64_t from, std::int64_t to) const {
    const auto [first, end] = r.touched(from, to);
    // They are one multiplication.
    const auto [firstWhole, endWhole] = r.whole(from, to);
    TraceSums sums = lanes_.lane(r.callee, ipu_).total.times(endWhole - firstWhole);
    for (std::int64_t k = first; k < firstWhole; ++k)
        sums += ofBody(r.callee, from - k * r.period, to - k * r.period);
    for (std::int64_t k = endWhole; k < end; ++k)
        sums += ofBody(r.callee, from - k * r.period, to - k * r.period);
    return sums;
}

std::int64_t RangeSums::busy(TraceBodyId body, std::int64_t from, std::int64_t to,
                             const TraceSums& sums) const {
    return lanes_.lane(body, ipu_).overlaps ? busy(body, from, to) : sums.total();
}

std::int64_t RangeSums::busy(TraceBodyId body, std::int64_t from, std::int64_t to) const {
    LaneCursor cursor(lanes_, body, ipu_);
    from = std::max<std::int64_t>(from, 0);
    to = std::min(to, cursor.lane().length);
    if (from >= to)
        return 0;
    if (!cursor.lane().overlaps)
        return ofBody(body, from, to).total();
    std::int64_t cycles = 0;
    Group group;
    const auto [first, end] = cursor.touched(from, to);
    for (std::size_t i = first; i < end; ++i) {
        const LaneEntry entry = cursor.at(i);
        std::int64_t begin = std::max(from, entry.begin);
        const std::int64_t stop = std::min(to, entry.end);
        if (begin >= stop)
            continue;
        if (begin >= group.end) {
            cycles += busy(body, group);
            group = {};
        }
        group.end = std::max(group.end, stop);
        if (entry.call < 0) {
            group.steps.push_back({begin, stop});
            continue;
        }
        // Two calls at once are taken for one after the other.
        if (!group.calls.empty())
            begin = std::max(begin, group.calls.back().to);
        if (begin < stop)
            group.calls.push_back({entry, begin, stop});
    }
    return cycles + busy(body, group);
}

// The union of the steps, and of calls what lies outside of it.
std::int64_t RangeSums::busy(TraceBodyId body, const Group& group) const {
    std::vector<Repetition::Touched> apart;
    for (const auto& step : group.steps)
        if (!apart.empty() && step.first <= apart.back().end)
            apart.back().end = std::max(apart.back().end, step.end);
        else
            apart.push_back(step);
    std::int64_t cycles = 0;
    for (const auto& range : apart)
        cycles += range.end - range.first;
    for (const Group::Call& call : group.calls) {
        const Repetition r = lanes_.repetition(body, call.entry);
        const auto within = [&](std::int64_t from, std::int64_t to) {
            return from < to ? busy(r, from - call.entry.begin, to - call.entry.begin) : 0;
        };
        cycles += within(call.from, call.to);
        for (const auto& range : apart)
            cycles -= within(std::max(range.first, call.from), std::min(range.end, call.to));
    }
    return cycles;
}

std::int64_t RangeSums::busy(const Repetition& r, std::int64_t from, std::int64_t to) const {
    // Repetitions that overlap each other leave no gap between them.
    if (r.count > 1 && r.period < r.length)
        return to - from;
    const auto [first, end] = r.touched(from, to);
    const auto repetition = [&, from, to](std::int64_t k) {
        return busy(r.callee, from - k * r.period, to - k * r.period);
    };
    std::int64_t cycles = first < end ? repetition(first) : 0;
    if (end - first > 1)
        cycles += repetition(end - 1);
    if (end - first > 2)
        cycles += (end - first - 2) * busy(r.callee, 0, r.length);
    return cycles;
}

} // namespace tilescope
