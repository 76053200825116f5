#include "core/live/live_moments.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

// Of columns with fewer cells too many borders cost one: their steps are visited instead.
constexpr std::int64_t fewestCellsOfColumn = 128;
// That are visited in one pass: what it found is lost if it is stopped.
constexpr std::size_t chunksOfPass = 20;
// That several threads may take.
constexpr std::size_t passesAtOnce = 4;

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
            const bool narrow =
                range.cycles() / fewestCellsOfColumn <
                stretch->chunks.range().cycles() / std::ssize(stretch->cells) / cellsOfChunk;
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
    std::vector<Cut> cuts;
    for (std::size_t chunk = columnAt(stretch.chunks, range.begin); chunk <= last;) {
        std::vector<Pass> passes;
        while (chunk <= last && passes.size() < passesAtOnce && !stretch.cells[chunk]) {
            const std::size_t first = chunk;
            while (chunk <= last && chunk - first < chunksOfPass && !stretch.cells[chunk])
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
            asked.found[i].add(inChunk(stretch, chunk, common(asked.columns.at(i), part), i, cuts));
        ++chunk;
    }
    addCuts(cuts, asked.found);
}

/// Several parts, which may be visited at once; each reads the lanes by itself.
void LiveMoments::addCuts(std::vector<Cut>& cuts, std::vector<FoundExtremes>& found) const {
    std::erase_if(cuts, [&](const Cut& cut) { return found[cut.column].covers(cut.cell); });
    std::vector<FoundExtremes> swept(cuts.size());
    const std::size_t parts = std::min(passesAtOnce, cuts.size());
    const auto visitPart = [&](std::size_t part) {
        std::deque<LiveSteps> ipus = ipus_;
        const std::size_t end = (part + 1) * cuts.size() / parts;
        for (std::size_t i = part * cuts.size() / parts; i < end; ++i)
            swept[i] =
                extremesBetween(std::array{cuts[i].range.begin, cuts[i].range.end}, ipus, stop_)
                    .front();
    };
    share(parts, visitPart);
    for (std::size_t i = 0; i < cuts.size(); ++i)
        found[cuts[i].column].add(swept[i]);
}

void LiveMoments::addCut(FoundExtremes& found, const Cut& cut) {
    if (!found.covers(cut.cell))
        found.add(sweep(std::array{cut.range.begin, cut.range.end}).front());
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
    share(passes.size(), visitOne);
}

void LiveMoments::share(std::size_t count, const std::function<void(std::size_t)>& work) const {
    if (each_)
        return each_(count, work);
    for (std::size_t i = 0; i < count; ++i)
        work(i);
}

void LiveMoments::keep(Stretch& stretch, const Pass& pass, const Asked& asked) {
    const CycleRange range = common({pass.borders.front(), pass.borders.back()}, asked.range());
    std::size_t column = columnAt(asked.columns, range.begin);
    std::size_t piece = 0;
    auto cellEnd = pass.cellEnds.begin();
    for (std::size_t i = pass.begin; i < pass.end; ++i) {
        ChunkCells cells(CycleColumns(stretch.chunks.at(i), cellsOfChunk).count());
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
        stretch.cells[i] = std::make_shared<const ChunkCells>(std::move(cells));
    }
}

ChunkCells LiveMoments::cellsOf(const Stretch& stretch, std::size_t chunk) {
    const CycleColumns cells(stretch.chunks.at(chunk), cellsOfChunk);
    return sweep(bordersOf(cells, 0, cells.count()));
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
    std::vector<Cut> cuts;
    for (std::size_t chunk = columnAt(stretch.chunks, range.begin); chunk <= last; ++chunk)
        found.add(inChunk(stretch, chunk, common(stretch.chunks.at(chunk), range), 0, cuts));
    for (const Cut& cut : cuts)
        addCut(found, cut);
    return found;
}

/// What whole cells have of a part of a chunk; the others are cuts.
FoundExtremes LiveMoments::inChunk(Stretch& stretch, std::size_t chunk, CycleRange range,
                                   std::size_t column, std::vector<Cut>& cuts) {
    const CycleColumns columns(stretch.chunks.at(chunk), cellsOfChunk);
    const std::size_t first = columnAt(columns, range.begin);
    const std::size_t last = columnAt(columns, range.end - 1);
    std::shared_ptr<const ChunkCells>& cells = stretch.cells[chunk];
    if (!cells && first == last)
        return sweep(std::array{range.begin, range.end}).front();
    if (!cells)
        cells = std::make_shared<const ChunkCells>(cellsOf(stretch, chunk));
    FoundExtremes found;
    for (std::size_t cell = first; cell <= last; ++cell)
        if (const bool cut = cell == first || cell == last;
            cut && common(columns.at(cell), range) != columns.at(cell))
            cuts.push_back({column, common(columns.at(cell), range), (*cells)[cell]});
        else
            found.add((*cells)[cell]);
    return found;
}

} // namespace tilescope
