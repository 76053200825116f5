// The stretches of an execution that LiveMoments visits.
#include <algorithm>
#include <limits>

#include "core/base/saturating.h"
#include "core/live/live_moments.h"

namespace tilescope {
namespace {

// Fewer repetitions are visited like any other steps.
constexpr std::int64_t fewestPeriods = 2;
// Entries of a lane beside a call; syncs.
constexpr std::size_t mostBeside = 8;

} // namespace

LiveMoments::LiveMoments(const TraceIndex& trace, std::deque<LiveSteps> ipus,
                         const LiveCells& known)
    : trace_(trace)
    , ipus_(std::move(ipus)) {
    std::int64_t time = std::numeric_limits<std::int64_t>::min() / 4;
    const auto until = [&](std::int64_t cycle) {
        if (time < cycle)
            stretches_.push_back(plain({time, cycle}));
        time = std::max(time, cycle);
    };
    const bool orderly = runsFollowEachOther();
    for (const TraceRun& run : trace_.runs()) {
        if (!orderly || !repeats(run.body))
            continue;
        std::vector<Place> places;
        for (LiveSteps& ipu : ipus_)
            places.push_back({ipu.enter(run), run.start});
        until(run.start);
        split(run.body, places, {run.start, run.start + run.cycles}, stretches_);
        time = run.start + run.cycles;
    }
    until(std::numeric_limits<std::int64_t>::max() / 4);
    if (!known.empty())
        adopt(known);
}

void LiveMoments::eachPlain(std::vector<Stretch>& stretches, const auto& use,
                            std::int64_t& number) {
    for (Stretch& stretch : stretches)
        if (stretch.period > 0)
            eachPlain(stretch.inner, use, number);
        else
            use(stretch, number++);
}

/// Cells on another grid than this program's are left out.
void LiveMoments::adopt(const LiveCells& known) {
    const auto take = [&](Stretch& stretch, std::int64_t number) {
        const auto chunks = std::ssize(stretch.cells);
        if (known.contains({number, chunks}) || !known.contains({number, chunks - 1}))
            return;
        for (std::int64_t i = 0; i < chunks; ++i) {
            const auto chunk = static_cast<std::size_t>(i);
            const auto found = known.find({number, i});
            if (found != known.end() &&
                found->second->size() ==
                    CycleColumns(stretch.chunks.at(chunk), cellsOfChunk).count())
                stretch.cells[chunk] = found->second;
        }
    };
    std::int64_t number = 0;
    eachPlain(stretches_, take, number);
}

LiveCells LiveMoments::cellsOfLongStretches() {
    LiveCells all;
    std::int64_t left = mostSteps; // of all runs together
    const auto visit = [&](Stretch& stretch, std::int64_t number) {
        const auto chunks = std::ssize(stretch.cells);
        if (chunks == 1 || stretch.steps > left)
            return;
        left -= stretch.steps;
        for (std::int64_t i = 0; i < chunks; ++i)
            all[{number, i}] =
                std::make_shared<const ChunkCells>(cellsOf(stretch, static_cast<std::size_t>(i)));
    };
    std::int64_t number = 0;
    eachPlain(stretches_, visit, number);
    return all;
}

bool LiveMoments::runsFollowEachOther() const {
    std::int64_t time = 0;
    for (const TraceRun& run : trace_.runs()) {
        if (run.start < time)
            return false;
        for (const LiveSteps& ipu : ipus_)
            if (trace_.lanes().lane(run.body, ipu.ipu()).length > run.cycles)
                return false;
        time = run.start + run.cycles;
    }
    return true;
}

bool LiveMoments::repeats(TraceBodyId body) {
    if (const auto known = repeats_.find(body); known != repeats_.end())
        return known->second;
    bool found = false;
    for (const TraceCall& call : trace_.lanes().outline().bodies[body].calls)
        found = found || call.count > fewestPeriods || repeats(call.callee);
    return repeats_[body] = found;
}

LiveMoments::Stretch LiveMoments::plain(CycleRange range) const {
    Stretch stretch{.range = range};
    const auto all = common(range, {0, trace_.totalCycles()});
    for (const LiveSteps& ipu : ipus_)
        if (all.cycles() > 0)
            stretch.steps =
                saturatingSum(stretch.steps, trace_.statistics(ipu.ipu(), all).sums.steps);
    const std::int64_t chunks =
        std::min(stretch.steps, mostSteps) / (stepsOfCell * cellsOfChunk) + 1;
    stretch.chunks = {all.cycles() > 0 ? all : range, chunks};
    stretch.cells.resize(stretch.chunks.count());
    return stretch;
}

/// The stretches of a range in which no IPU does anything but what its place says.
void LiveMoments::split(TraceBodyId body, const std::vector<Place>& places, CycleRange range,
                        std::vector<Stretch>& out) {
    const std::vector<TraceCall>& calls = trace_.lanes().outline().bodies[body].calls;
    std::int64_t time = range.begin;
    const auto until = [&](std::int64_t cycle) {
        if (time < cycle)
            out.push_back(plain({time, cycle}));
        time = cycle;
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (calls[i].count <= fewestPeriods && !repeats(calls[i].callee))
            continue;
        const auto found = together(body, static_cast<std::int32_t>(i), places);
        if (!found || found->range.begin < time || found->range.end > range.end)
            continue;
        until(found->range.begin);
        time = found->range.end;
        if (found->period == 0) {
            split(calls[i].callee, found->inside, found->range, out);
            continue;
        }
        Stretch periods{.range = found->range, .period = found->period};
        const CycleRange first{found->range.begin, found->range.begin + found->period};
        if (found->aligned)
            split(calls[i].callee, found->inside, first, periods.inner);
        else
            periods.inner.push_back(plain(first));
        out.push_back(std::move(periods));
    }
    until(range.end);
}

std::optional<LiveMoments::Together> LiveMoments::together(TraceBodyId body, std::int32_t number,
                                                           const std::vector<Place>& places) {
    const TraceCall& call =
        trace_.lanes().outline().bodies[body].calls[static_cast<std::size_t>(number)];
    Together found{.range = {std::numeric_limits<std::int64_t>::min(),
                             std::numeric_limits<std::int64_t>::max()},
                   .inside = std::vector<Place>(places.size())};
    const bool once = call.count == 1;
    bool any = false;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto on = std::find_if(call.ipus.begin(), call.ipus.end(),
                                     [&](const CallOnIpu& c) { return c.ipu == ipus_[i].ipu(); });
        const std::int64_t length = trace_.lanes().lane(call.callee, ipus_[i].ipu()).length;
        if (!places[i].at.body.valid() || on == call.ipus.end() || length == 0)
            continue;
        LaneEntry entry;
        entry.call = number;
        found.inside[i] = {ipus_[i].enter(places[i].at, entry), places[i].offset + on->start};
        if (!ipus_[i].hasBytes(found.inside[i].at)) {
            found.inside[i] = {};
            continue;
        }
        const std::int64_t period = once ? 0 : on->period > 0 ? on->period : length;
        if (!once && (length > period || (any && found.period != period)))
            return {};
        const std::int64_t start = found.inside[i].offset;
        found.aligned = found.aligned && (!any || found.range.begin == start);
        found.period = period;
        found.range.begin = std::max(found.range.begin, start);
        found.range.end = std::min(found.range.end, start + (call.count - 1) * period + length);
        any = true;
    }
    if (!any)
        return {};
    // The bytes held at first may differ from those with which later repetitions begin: they are
    // the call's own once a period has passed in which nothing else began.
    const CycleRange alone{found.range.begin + found.period, found.range.end};
    found.range.begin = alone.begin + found.period;
    for (Place& place : found.inside)
        place.offset += 2 * found.period;
    if (found.range.cycles() <= fewestPeriods * found.period || !nothingElse(number, places, alone))
        return {};
    return found;
}

bool LiveMoments::nothingElse(std::int32_t call, const std::vector<Place>& places,
                              CycleRange range) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        if (!place.at.body.valid())
            continue;
        LiveSteps& ipu = ipus_[i];
        LaneCursor& cursor = ipu.cursorOf(place.at.body);
        const auto [first, end] =
            cursor.touched(range.begin - place.offset, range.end - place.offset);
        if (end - first > mostBeside)
            return false;
        for (std::size_t entry = first; entry < end; ++entry) {
            const LaneEntry other = cursor.at(entry);
            const bool matters =
                other.begin < other.end && other.end > range.begin - place.offset &&
                (other.call >= 0 ? other.call != call && ipu.hasBytes(ipu.enter(place.at, other))
                                 : ipu.bytesOf(place.at, other).has_value());
            if (matters)
                return false;
        }
    }
    return true;
}

} // namespace tilescope
