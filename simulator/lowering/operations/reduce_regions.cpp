#include "simulator/lowering/operations/reduce_regions.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
ReduceLevels reduceLevels(const std::vector<std::int64_t>& sizes,
                          const std::vector<bool>& reduced) {
    ReduceLevels levels;
    std::size_t left = sizes.size();
    const auto take = [&](bool kind) {
        std::int64_t size = 1;
        for (; left > 0 && (reduced[left - 1] == kind || sizes[left - 1] == 1); --left)
            size *= sizes[left - 1];
        return size;
    };
    levels.inner = take(true);
    levels.columns = take(false);
    levels.rows = take(true);
    levels.keptAbove = take(false);
    return levels;
}

std::int64_t TileReductions::results() const {
    std::int64_t sum = 0;
    for (const RegionReduction& region : regions)
        sum += region.results();
    return sum;
}

TileReductions ReduceRegions::next(Interval run) {
    TileReductions tile;
    const std::int64_t size = levels_.group();
    const std::int64_t first = run.begin / size;
    const std::int64_t last = (run.end - 1) / size;
    if (run.size() == 0)
        return tile;
    if (first == last) {
        addPart(tile, first, run.begin % size, run.end - first * size);
        return tile;
    }
    // Whole groups between two parts.
    const std::int64_t lo = run.begin % size;
    const std::int64_t hi = run.end - last * size;
    if (lo != 0)
        addPart(tile, first, lo, size);
    if (hi != size)
        addPart(tile, last, 0, hi);
    const std::int64_t whole = last - first + 1 - (lo != 0 ? 1 : 0) - (hi != size ? 1 : 0);
    if (whole > 0)
        addWhole(tile, whole);
    return tile;
}

void ReduceRegions::addWhole(TileReductions& tile, std::int64_t groups) const {
    // Groups that only differ in a reduced index above go to the same results.
    const std::int64_t distinct = std::min(groups, levels_.keptAbove);
    tile.regions.push_back(
        {levels_.columns, levels_.rows * ceilDiv(groups, distinct), levels_.inner, distinct});
}

void ReduceRegions::addPart(TileReductions& tile, std::int64_t group, std::int64_t lo,
                            std::int64_t hi) {
    const std::int64_t row = levels_.inner * levels_.columns;
    if (levels_.inner > 1) {
        if (lo % row == 0 && hi % row == 0)
            tile.regions.push_back({levels_.columns, (hi - lo) / row, levels_.inner});
        else
            addUnaligned(tile, hi - lo);
        return;
    }
    const std::int64_t from = lo % row;
    const std::int64_t to = hi % row;
    const std::int64_t rows = hi / row - lo / row;
    // Columns between the two ends have a row more, or one less, than the others.
    const std::int64_t between = std::abs(to - from);
    const std::int64_t rowsBetween = to > from ? rows + 1 : rows - 1;
    if (between > 0 && rowsBetween > 0)
        tile.regions.push_back({between, rowsBetween});
    if (between == row || rows <= 0)
        return;
    tile.regions.push_back({row - between, rows});
    if (between > 0)
        return;
    const auto [known, isFirst] = firstColumn_.emplace(group % levels_.keptAbove, from);
    if (!isFirst && known->second != from)
        tile.rotated += row;
}

void ReduceRegions::addUnaligned(TileReductions& tile, std::int64_t elements) const {
    const std::int64_t row = levels_.inner * levels_.columns;
    if (elements >= row) {
        tile.regions.push_back({levels_.columns, ceilDiv(elements, row), levels_.inner});
        return;
    }
    const std::int64_t inner = std::min(elements, levels_.inner);
    tile.regions.push_back({std::min(levels_.columns, ceilDiv(elements, levels_.inner)), 1, inner});
}

} // namespace tilescope::sim
