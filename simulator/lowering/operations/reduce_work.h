// The work of a reduction on every tile, in the form that a compute set needs.
#pragma once

#include <map>
#include <vector>

#include "core/tiles/tile_series.h"
#include "simulator/lowering/operations/reduce_regions.h"

namespace tilescope::sim {

/// A reduction of what lies on the tiles, by tile.
struct ReduceWork {
    TileSeries results; ///< elements that a tile makes
    TileSeries rotated; ///< those that a copy reorders
    TileSeries cycles, vertices;
    TileSeries secondCycles, secondVertices; ///< of the second compute set, where there is one
    TileSeries secondElements;               ///< partials between the two
    std::int64_t columns = 1;                ///< fewest results that lie next to each other
    bool reduces = false;                    ///< some tile has several partials of a result
};

/// Collects the tiles' reductions; tiles with equal ones are computed once.
class ReduceWorkList {
public:
    ReduceWorkList(const Target& target, ReduceFunction function, DataType from, DataType to);
    /// In rising order of tiles.
    void add(std::int32_t tile, const TileReductions& reductions);
    [[nodiscard]] ReduceWork take();

private:
    const Target& target_;
    ReduceFunction function_;
    DataType from_, to_;
    ReduceWork work_;
    std::map<std::vector<RegionReduction>, OnTileReduction> known_;
};

} // namespace tilescope::sim
