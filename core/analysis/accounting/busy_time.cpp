#include "core/analysis/accounting/busy_time.h"

#include <algorithm>

#include "core/base/saturating.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

/// Steps that are unrolled at most to find out how they overlap: a few megabytes.
constexpr std::size_t mostIntervals = 200'000;
/// Repetitions that are looked at one by one; from then on each adds what the one before it added.
constexpr std::int64_t repetitionsFollowed = 4;

} // namespace

BusyTime::BusyTime(const TraceLanes& lanes, IpuId ipu)
    : lanes_(lanes)
    , ipu_(ipu)
    , busy_(lanes.trace().bodies.size(), -1)
    , sequential_(lanes.trace().bodies.size(), -1) {}

bool BusyTime::isSequential(TraceBodyId body) {
    std::int8_t& known = sequential_[body.index()];
    if (known >= 0)
        return known == 1;
    bool sequential = lanes_.lane(body, ipu_).sequential;
    for (const TraceCall& call : lanes_.trace().bodies[body].calls) {
        if (!sequential)
            break;
        const std::int64_t once = lanes_.lane(call.callee, ipu_).length;
        for (const CallOnIpu& on : call.ipus)
            if (on.ipu == ipu_ && call.count > 1 && on.period < once)
                sequential = false;
        sequential = sequential && isSequential(call.callee);
    }
    known = sequential ? 1 : 0;
    return sequential;
}

std::int64_t BusyTime::of(TraceBodyId body) {
    std::int64_t& known = busy_[body.index()];
    if (known < 0)
        known = isSequential(body) ? lanes_.lane(body, ipu_).total.total() : measure(body);
    return known;
}

std::int64_t BusyTime::measure(TraceBodyId body) {
    if (const std::optional<Intervals> all = unrolled(body))
        return length(*all);
    // Too long to unroll: entries that overlap are busy from the first one's begin to the last
    // one's end, all others for as long as they are by themselves.
    LaneCursor cursor(lanes_, body, ipu_);
    std::int64_t busy = 0;
    const std::size_t entries = cursor.lane().count;
    for (std::size_t i = 0; i < entries;) {
        const LaneEntry first = cursor.at(i);
        std::int64_t end = first.end;
        std::size_t next = i + 1;
        for (; next < entries && cursor.at(next).begin < end; ++next)
            end = std::max(end, cursor.at(next).end);
        const bool alone = next == i + 1 && lanes_.callOf(body, first) != nullptr;
        busy = saturatingSum(busy, alone ? ofRepetition(lanes_.repetition(body, ipu_, first))
                                         : end - first.begin);
        i = next;
    }
    return busy;
}

std::int64_t BusyTime::ofRepetition(const Repetition& repetition) {
    const std::int64_t once = of(repetition.callee);
    if (repetition.count <= 1 || repetition.period >= repetition.length)
        return saturatingProduct(once, repetition.count);
    const std::optional<Intervals> body = unrolled(repetition.callee);
    if (!body)
        return repetition.period * (repetition.count - 1) + repetition.length;
    Intervals all;
    std::int64_t before = 0;
    std::int64_t busy = 0;
    const std::int64_t followed = std::min(repetition.count, repetitionsFollowed);
    for (std::int64_t k = 0; k < followed; ++k) {
        for (const Interval& one : *body)
            all.push_back({one.begin + k * repetition.period, one.end + k * repetition.period});
        before = busy;
        all = merged(std::move(all));
        busy = length(all);
    }
    return saturatingSum(busy, saturatingProduct(repetition.count - followed, busy - before));
}

std::optional<BusyTime::Intervals> BusyTime::unrolled(TraceBodyId body) {
    Intervals all;
    LaneCursor cursor(lanes_, body, ipu_);
    for (std::size_t i = 0; i < cursor.lane().count; ++i) {
        const LaneEntry entry = cursor.at(i);
        if (lanes_.callOf(body, entry) == nullptr) {
            all.push_back({entry.begin, entry.end});
        } else {
            const Repetition repetition = lanes_.repetition(body, ipu_, entry);
            const std::optional<Intervals> once = unrolled(repetition.callee);
            if (!once ||
                (repetition.count > 0 &&
                 once->size() > mostIntervals / static_cast<std::size_t>(repetition.count)))
                return std::nullopt;
            for (std::int64_t k = 0; k < repetition.count; ++k)
                for (const Interval& one : *once)
                    all.push_back({entry.begin + k * repetition.period + one.begin,
                                   entry.begin + k * repetition.period + one.end});
        }
        if (all.size() > mostIntervals)
            return std::nullopt;
    }
    return merged(std::move(all));
}

BusyTime::Intervals BusyTime::merged(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    Intervals apart;
    for (const Interval& one : intervals) {
        if (!apart.empty() && one.begin <= apart.back().end)
            apart.back().end = std::max(apart.back().end, one.end);
        else if (one.end > one.begin)
            apart.push_back(one);
    }
    return apart;
}

std::int64_t BusyTime::length(const Intervals& intervals) {
    std::int64_t sum = 0;
    for (const Interval& one : intervals)
        sum += one.end - one.begin;
    return sum;
}

} // namespace tilescope
