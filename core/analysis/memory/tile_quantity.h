// One figure for every tile, for the tile map and the statistics of tiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/profile/profile.h"
#include "core/target/selection.h"

namespace tilescope {

/// Not-always-live bytes on each tile at a step. Throws UserError for a step that does not exist.
TileSeries liveBytesByTile(const IdVector<VariableId, Variable>& variables,
                           const IdVector<LivenessClassId, LivenessClass>& classes,
                           std::size_t steps, StepId step);

/// Bytes of always-live variables on each tile.
TileSeries alwaysLiveBytesByTile(const IdVector<VariableId, Variable>& variables);

/// Bytes of a category on each tile, in all regions; bytes that variables share count once.
TileSeries categoryBytesByTile(const std::vector<CategoryMemory>& categories,
                               MemoryCategory category);

/// Bytes of several variables on each tile.
TileSeries variableBytesByTile(const IdVector<VariableId, Variable>& variables,
                               std::span<const VariableId> wanted);

/// How a figure is spread over tiles. A tile without a value counts as zero.
struct TileStatistics {
    std::int64_t least = 0;
    std::int64_t most = 0;
    double mean = 0;
    double deviation = 0; ///< standard deviation of all tiles, not of a sample
    TileId leastTile;     ///< first tile with `least`; none for an empty range
    TileId mostTile;
};
TileStatistics tileStatistics(const TileSeries& series, TileRange range);

/// The tiles of a range that use the most memory including gaps, the fullest first, ties by number.
std::vector<TileId> tilesByMemory(const IdVector<TileId, TileMemory>& tiles, TileRange range,
                                  std::size_t most);

} // namespace tilescope
