#include "core/analysis/memory/tile_quantity.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/liveness/liveness.h"

namespace tilescope {
namespace {

// The sum of the wanted variables' bytes. Runs are added up as changes of value, so that the cost
// of a variable depends on its runs and not on its tiles.
template <class Wanted>
TileSeries sumOf(const IdVector<VariableId, Variable>& variables, Wanted&& wanted) {
    std::vector<std::int64_t> change;
    for (const Variable& v : variables) {
        if (!wanted(v))
            continue;
        for (const TileRun& run : v.bytes.runs()) {
            if (static_cast<std::size_t>(run.end) >= change.size())
                change.resize(static_cast<std::size_t>(run.end) + 1, 0);
            change[static_cast<std::size_t>(run.first)] += run.value;
            change[static_cast<std::size_t>(run.end)] -= run.value;
        }
    }
    for (std::size_t i = 1; i < change.size(); ++i)
        change[i] += change[i - 1];
    return TileSeries::fromDense(change);
}

} // namespace

TileSeries liveBytesByTile(const IdVector<VariableId, Variable>& variables,
                           const IdVector<LivenessClassId, LivenessClass>& classes,
                           std::size_t steps, StepId step) {
    const std::vector<bool> live = liveClasses(classes, steps, step);
    return sumOf(variables, [&](const Variable& v) {
        return !v.alwaysLive && v.liveness.valid() && v.liveness.index() < live.size() &&
               live[v.liveness.index()];
    });
}

TileSeries alwaysLiveBytesByTile(const IdVector<VariableId, Variable>& variables) {
    return sumOf(variables, [](const Variable& v) { return v.alwaysLive; });
}

TileSeries categoryBytesByTile(const std::vector<CategoryMemory>& categories,
                               MemoryCategory category) {
    TileSeries bytes;
    for (const CategoryMemory& c : categories)
        if (c.category == category)
            bytes += c.bytes;
    return bytes;
}

TileSeries variableBytesByTile(const IdVector<VariableId, Variable>& variables,
                               std::span<const VariableId> wanted) {
    TileSeries bytes;
    for (const VariableId id : wanted)
        if (id.valid() && id.index() < variables.size())
            bytes += variables[id].bytes;
    return bytes;
}

TileStatistics tileStatistics(const TileSeries& series, TileRange range) {
    TileStatistics result;
    if (range.tiles() <= 0)
        return result;
    double sum = 0;
    double squares = 0;
    const auto take = [&](std::int32_t first, std::int32_t tiles, std::int64_t value) {
        if (tiles <= 0)
            return;
        if (!result.leastTile.valid() || value < result.least) {
            result.least = value;
            result.leastTile = TileId(first);
        }
        if (!result.mostTile.valid() || value > result.most) {
            result.most = value;
            result.mostTile = TileId(first);
        }
        const auto real = static_cast<double>(value);
        sum += real * tiles;
        squares += real * real * tiles;
    };
    std::int32_t at = range.first;
    const TileSeries part = series.slice(range.first, range.end);
    for (const TileRun& run : part.runs()) {
        take(at, run.first - at, 0);
        take(run.first, run.tiles(), run.value);
        at = run.end;
    }
    take(at, range.end - at, 0);
    result.mean = sum / range.tiles();
    result.deviation =
        std::sqrt(std::max(0.0, squares / range.tiles() - result.mean * result.mean));
    return result;
}

std::vector<TileId> tilesByMemory(const IdVector<TileId, TileMemory>& tiles, TileRange range,
                                  std::size_t most) {
    std::vector<TileId> order;
    const std::int32_t end = std::min(range.end, static_cast<std::int32_t>(tiles.size()));
    for (std::int32_t tile = range.first; tile < end; ++tile)
        order.emplace_back(tile);
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](TileId a, TileId b) {
        const std::int64_t bytesA = tiles[a].includingGaps;
        const std::int64_t bytesB = tiles[b].includingGaps;
        return bytesA != bytesB ? bytesA > bytesB : a < b;
    });
    order.resize(static_cast<std::size_t>(count));
    return order;
}

} // namespace tilescope
