// Memory per tile as stacked layers, for the plot of the memory report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// How the bytes of a tile are split into layers.
enum class MemoryBreakdown { None, Region, Category, Liveness };

/// Software order is the compiler's numbering; physical order runs along the columns of the chip.
enum class TileOrder { Software, Physical };

struct MemoryPlotOptions {
    MemoryBreakdown breakdown = MemoryBreakdown::None;
    bool includeGaps = true;
    TileOrder order = TileOrder::Software;
};

/// A layer of the stack. `key` is stable between profiles: the enum's file name, "gaps", "total".
struct MemoryLayer {
    std::string key;
    std::string name; ///< for people
    TileSeries bytes;
};

struct MemoryPlot {
    std::vector<MemoryLayer> layers; ///< from the bottom up; empty ones are left out
    TileSeries total;                ///< their sum
    std::int64_t limitPerTile = 0;
};

/// The layers sum up to the tile's bytes with or without gaps. With MemoryBreakdown::Liveness they
/// are always-live bytes and the largest not-always-live bytes of any step; the rest of the tile's
/// total is in "gaps".
MemoryPlot memoryPlot(const Target& target, const IdVector<TileId, TileMemory>& tiles,
                      const std::vector<CategoryMemory>& categories,
                      const MemoryPlotOptions& options);

/// Bytes of one field of TileMemory as a series in software order.
TileSeries tileMemorySeries(const IdVector<TileId, TileMemory>& tiles,
                            std::int64_t TileMemory::*field);

/// A series whose tiles are renumbered by their physical place on their IPU.
TileSeries inPhysicalOrder(const Target& target, const TileSeries& series);

/// The software id of the tile that is at a place of the given order (the inverse map).
TileId tileAtPlace(const Target& target, TileOrder order, std::int32_t place);

/// One row of the breakdown's name on the command line: "none", "region", "category", "liveness";
/// throws UserError for another name.
MemoryBreakdown memoryBreakdownFrom(std::string_view name);

} // namespace tilescope
