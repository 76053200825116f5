#include "core/analysis/counters/live_moments.h"

#include <algorithm>
#include <array>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

// A chunk is visited as a whole and its cells are kept, so a column border costs one cell.
constexpr std::int64_t stepsOfCell = 512;
constexpr std::int64_t cellsOfChunk = 128;
// That are visited in one pass: what it found is lost if it is stopped.
constexpr std::size_t chunksOfPass = 20;
// That several threads may take.
constexpr std::size_t passesAtOnce = 4;
// Some ten seconds of work; traces of real programs repeat long before.
constexpr std::int64_t mostSteps = 100'000'000;
// Fewer repetitions are visited like any other steps.
constexpr std::int64_t fewestPeriods = 2;
// Entries of a lane beside a call; syncs.
constexpr std::size_t mostBeside = 8;

CycleRange common(CycleRange a, CycleRange b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// The column that a cycle of their range is in.
std::size_t columnAt(const CycleColumns& columns, std::int64_t cycle) {
    std::size_t low = 0;
    std::size_t high = columns.count();
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (columns.border(middle) <= cycle ? low : high) = middle;
    }
    return low;
}

std::vector<std::int64_t> bordersOf(const CycleColumns& columns, std::size_t first,
                                    std::size_t end) {
    std::vector<std::int64_t> borders;
    for (std::size_t i = first; i <= end; ++i)
        borders.push_back(columns.border(i));
    return borders;
}

} // namespace

LiveMoments::LiveMoments(const TraceIndex& trace, std::deque<LiveSteps> ipus)
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

bool LiveMoments::tooLong(const std::vector<Stretch>& stretches, CycleRange range) {
    return std::any_of(stretches.begin(), stretches.end(), [&](const Stretch& stretch) {
        return common(stretch.range, range).cycles() > 0 &&
               (stretch.steps > mostSteps ||
                (stretch.period > 0 && tooLong(stretch.inner, stretch.range)));
    });
}

std::optional<std::vector<FoundExtremes>> LiveMoments::columns(const CycleColumns& columns,
                                                               const std::stop_token& stop,
                                                               const ForEach& each) {
    stop_ = stop;
    each_ = each;
    std::vector<FoundExtremes> found(columns.count());
    if (columns.count() == 0)
        return found;
    if (tooLong(stretches_, columns.range()))
        return {};
    std::size_t column = 0;
    while (column < columns.count()) {
        const CycleRange range = columns.at(column);
        const auto stretch =
            std::partition_point(stretches_.begin(), stretches_.end(),
                                 [&](const Stretch& s) { return s.range.end <= range.begin; });
        // Columns inside of a stretch are visited together.
        std::size_t end = column;
        if (stretch != stretches_.end() && stretch->period == 0) {
            const CycleRange inside = common(stretch->range, stretch->chunks.range());
            const bool narrow = range.cycles() < stretch->chunks.range().cycles() /
                                                     std::ssize(stretch->cells) / cellsOfChunk;
            while (end < columns.count() && (narrow || columns.border(end) >= inside.begin) &&
                   columns.border(end + 1) <= (narrow ? stretch->range.end : inside.end))
                ++end;
            if (end > column && narrow)
                sweepColumns(columns, column, end, found);
            else if (end > column)
                overChunks(*stretch, {columns, column, end, found});
        }
        if (end == column)
            found[end++] = over(stretches_, range);
        column = end;
    }
    for (LiveSteps& ipu : ipus_)
        ipu.forgetPages();
    return found;
}

void LiveMoments::sweepColumns(const CycleColumns& columns, std::size_t first, std::size_t end,
                               std::vector<FoundExtremes>& found) {
    const auto swept = sweep(bordersOf(columns, first, end));
    std::copy(swept.begin(), swept.end(), found.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Chunks that are known serve the columns; the others are visited first.
void LiveMoments::overChunks(Stretch& stretch, const Asked& asked) {
    const CycleRange range = asked.range();
    const std::size_t last = columnAt(stretch.chunks, range.end - 1);
    for (std::size_t chunk = columnAt(stretch.chunks, range.begin); chunk <= last;) {
        std::vector<Pass> passes;
        while (chunk <= last && passes.size() < passesAtOnce && stretch.cells[chunk].empty()) {
            const std::size_t first = chunk;
            while (chunk <= last && chunk - first < chunksOfPass && stretch.cells[chunk].empty())
                ++chunk;
            passes.push_back(passOver(stretch, first, chunk, asked));
        }
        if (!passes.empty()) {
            visit(passes);
            for (const Pass& pass : passes)
                keep(stretch, pass, asked);
            continue;
        }
        const CycleRange part = common(stretch.chunks.at(chunk), range);
        const std::size_t lastColumn = columnAt(asked.columns, part.end - 1);
        for (std::size_t i = columnAt(asked.columns, part.begin); i <= lastColumn; ++i)
            asked.found[i].add(inChunk(stretch, chunk, common(asked.columns.at(i), part)));
        ++chunk;
    }
}

/// One pass finds both the cells of its chunks and what the columns have of them.
LiveMoments::Pass LiveMoments::passOver(const Stretch& stretch, std::size_t begin, std::size_t end,
                                        const Asked& asked) {
    Pass pass{begin, end};
    for (std::size_t i = begin; i < end; ++i) {
        const CycleColumns cells(stretch.chunks.at(i), cellsOfChunk);
        for (std::size_t cell = 0; cell < cells.count(); ++cell)
            pass.cellEnds.push_back(cells.border(cell + 1));
    }
    const CycleRange all{stretch.chunks.border(begin), stretch.chunks.border(end)};
    const CycleRange range = common(all, asked.range());
    std::vector<std::int64_t>& borders = pass.borders;
    borders.push_back(all.begin);
    for (std::size_t i = columnAt(asked.columns, range.begin); asked.columns.border(i) < range.end;
         ++i)
        if (asked.columns.border(i) > all.begin)
            borders.push_back(asked.columns.border(i));
    if (range.end < all.end)
        borders.push_back(range.end);
    const auto middle = std::ssize(borders);
    borders.insert(borders.end(), pass.cellEnds.begin(), pass.cellEnds.end());
    std::inplace_merge(borders.begin(), borders.begin() + middle, borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return pass;
}

/// Each reads the lanes by itself.
void LiveMoments::visit(std::vector<Pass>& passes) const {
    const auto visitOne = [&](std::size_t i) {
        std::deque<LiveSteps> ipus = ipus_;
        passes[i].pieces = extremesBetween(passes[i].borders, ipus, stop_);
    };
    if (each_)
        return each_(passes.size(), visitOne);
    for (std::size_t i = 0; i < passes.size(); ++i)
        visitOne(i);
}

void LiveMoments::keep(Stretch& stretch, const Pass& pass, const Asked& asked) {
    const CycleRange range = common({pass.borders.front(), pass.borders.back()}, asked.range());
    std::size_t column = columnAt(asked.columns, range.begin);
    std::size_t piece = 0;
    auto cellEnd = pass.cellEnds.begin();
    for (std::size_t i = pass.begin; i < pass.end; ++i) {
        std::vector<FoundExtremes>& cells = stretch.cells[i];
        cells.resize(CycleColumns(stretch.chunks.at(i), cellsOfChunk).count());
        for (FoundExtremes& cell : cells) {
            for (; piece < pass.pieces.size() && pass.borders[piece + 1] <= *cellEnd; ++piece) {
                cell.add(pass.pieces[piece]);
                const std::int64_t begin = pass.borders[piece];
                if (begin < range.begin || begin >= range.end)
                    continue;
                while (asked.columns.border(column + 1) <= begin)
                    ++column;
                asked.found[column].add(pass.pieces[piece]);
            }
            ++cellEnd;
        }
    }
}

std::vector<FoundExtremes> LiveMoments::sweep(std::span<const std::int64_t> borders) {
    return extremesBetween(borders, ipus_, stop_);
}

FoundExtremes LiveMoments::over(std::vector<Stretch>& stretches, CycleRange range) {
    FoundExtremes found;
    auto stretch = std::partition_point(stretches.begin(), stretches.end(), [&](const Stretch& s) {
        return s.range.end <= range.begin;
    });
    for (; stretch != stretches.end() && stretch->range.begin < range.end; ++stretch) {
        const CycleRange part = common(stretch->range, range);
        found.add(stretch->period > 0 ? overPeriods(*stretch, part) : overCells(*stretch, part));
    }
    return found;
}

FoundExtremes LiveMoments::overPeriods(Stretch& stretch, CycleRange range) {
    const CycleRange first{stretch.range.begin, stretch.range.begin + stretch.period};
    if (range.cycles() >= stretch.period) {
        if (!stretch.whole)
            stretch.whole = over(stretch.inner, first);
        return *stretch.whole;
    }
    const std::int64_t begin = first.begin + (range.begin - first.begin) % stretch.period;
    const std::int64_t end = begin + range.cycles();
    FoundExtremes found = over(stretch.inner, {begin, std::min(end, first.end)});
    if (end > first.end)
        found.add(over(stretch.inner, {first.begin, end - stretch.period}));
    return found;
}

FoundExtremes LiveMoments::overCells(Stretch& stretch, CycleRange range) {
    FoundExtremes found;
    const CycleRange all = stretch.chunks.range();
    // Before the execution and after it nothing happens.
    for (const CycleRange outside : {CycleRange{range.begin, std::min(range.end, all.begin)},
                                     CycleRange{std::max(range.begin, all.end), range.end}})
        if (outside.cycles() > 0)
            found.add(sweep(std::array{outside.begin, outside.end}).front());
    range = common(range, all);
    if (range.cycles() <= 0)
        return found;
    const std::size_t last = columnAt(stretch.chunks, range.end - 1);
    for (std::size_t chunk = columnAt(stretch.chunks, range.begin); chunk <= last; ++chunk)
        found.add(inChunk(stretch, chunk, common(stretch.chunks.at(chunk), range)));
    return found;
}

FoundExtremes LiveMoments::inChunk(Stretch& stretch, std::size_t chunk, CycleRange range) {
    const CycleColumns columns(stretch.chunks.at(chunk), cellsOfChunk);
    const std::size_t first = columnAt(columns, range.begin);
    const std::size_t last = columnAt(columns, range.end - 1);
    if (first == last)
        return sweep(std::array{range.begin, range.end}).front();
    std::vector<FoundExtremes>& cells = stretch.cells[chunk];
    if (cells.empty())
        cells = sweep(bordersOf(columns, 0, columns.count()));
    FoundExtremes found;
    for (std::size_t cell = first; cell <= last; ++cell) {
        const CycleRange part = common(columns.at(cell), range);
        found.add(part == columns.at(cell) ? cells[cell]
                                           : sweep(std::array{part.begin, part.end}).front());
    }
    return found;
}

} // namespace tilescope
