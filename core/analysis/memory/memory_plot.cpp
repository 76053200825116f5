#include "core/analysis/memory/memory_plot.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope {
namespace {

void addLayer(MemoryPlot& plot, std::string_view key, std::string_view name, TileSeries bytes) {
    if (!bytes.empty())
        plot.layers.push_back({std::string(key), std::string(name), std::move(bytes)});
}

void addRegions(MemoryPlot& plot, const IdVector<TileId, TileMemory>& tiles) {
    const auto add = [&](MemoryRegion region, std::int64_t TileMemory::*field) {
        addLayer(plot, toString(region), displayName(region), tileMemorySeries(tiles, field));
    };
    add(MemoryRegion::NonInterleaved, &TileMemory::nonInterleaved);
    add(MemoryRegion::Interleaved, &TileMemory::interleaved);
    add(MemoryRegion::Overflowed, &TileMemory::overflowed);
}

void addCategories(MemoryPlot& plot, const std::vector<CategoryMemory>& categories) {
    for (const MemoryCategory category : memoryCategories) {
        TileSeries bytes;
        for (const CategoryMemory& c : categories)
            if (c.category == category)
                bytes += c.bytes;
        addLayer(plot, toString(category), displayName(category), std::move(bytes));
    }
}

void addLiveness(MemoryPlot& plot, const IdVector<TileId, TileMemory>& tiles) {
    addLayer(plot, "alwaysLive", "Always live", tileMemorySeries(tiles, &TileMemory::alwaysLive));
    addLayer(plot, "notAlwaysLive", "Not always live (largest step)",
             tileMemorySeries(tiles, &TileMemory::maxNotAlwaysLive));
}

TileSeries sumOfLayers(const MemoryPlot& plot) {
    TileSeries sum;
    for (const MemoryLayer& layer : plot.layers)
        sum += layer.bytes;
    return sum;
}

} // namespace

TileSeries tileMemorySeries(const IdVector<TileId, TileMemory>& tiles,
                            std::int64_t TileMemory::*field) {
    std::vector<std::int64_t> dense;
    dense.reserve(tiles.size());
    for (const TileMemory& tile : tiles)
        dense.push_back(tile.*field);
    return TileSeries::fromDense(dense);
}

TileSeries inPhysicalOrder(const Target& target, const TileSeries& series) {
    const std::vector<std::int64_t> software = series.toDense(target.totalTiles());
    std::vector<std::int64_t> physical(software.size(), 0);
    for (std::int32_t tile = 0; tile < target.totalTiles(); ++tile) {
        const std::int32_t first = tile / target.tilesPerIpu * target.tilesPerIpu;
        const std::int32_t place = first + physicalTileId(target, tile - first);
        physical.at(static_cast<std::size_t>(place)) = software[static_cast<std::size_t>(tile)];
    }
    return TileSeries::fromDense(physical);
}

TileId tileAtPlace(const Target& target, TileOrder order, std::int32_t place) {
    if (order == TileOrder::Software)
        return TileId(place);
    const std::int32_t first = place / target.tilesPerIpu * target.tilesPerIpu;
    for (std::int32_t tile = 0; tile < target.tilesPerIpu; ++tile)
        if (physicalTileId(target, tile) == place - first)
            return TileId(first + tile);
    return {};
}

MemoryPlot memoryPlot(const Target& target, const IdVector<TileId, TileMemory>& tiles,
                      const std::vector<CategoryMemory>& categories,
                      const MemoryPlotOptions& options) {
    MemoryPlot plot;
    plot.limitPerTile = target.bytesPerTile;
    const TileSeries excluding = tileMemorySeries(tiles, &TileMemory::excludingGaps);
    const TileSeries including = tileMemorySeries(tiles, &TileMemory::includingGaps);
    switch (options.breakdown) {
    case MemoryBreakdown::None:
        addLayer(plot, "total",
                 options.includeGaps ? "Memory including gaps" : "Memory excluding gaps",
                 options.includeGaps ? including : excluding);
        break;
    case MemoryBreakdown::Region:
        addRegions(plot, tiles);
        break;
    case MemoryBreakdown::Category:
        addCategories(plot, categories);
        break;
    case MemoryBreakdown::Liveness:
        addLiveness(plot, tiles);
        break;
    }
    plot.total = sumOfLayers(plot);
    if (options.includeGaps && options.breakdown != MemoryBreakdown::None) {
        addLayer(plot, "gaps", "Gaps",
                 TileSeries::zip(including, plot.total, [](std::int64_t all, std::int64_t known) {
                     return std::max<std::int64_t>(0, all - known);
                 }));
        plot.total = sumOfLayers(plot);
    }
    if (options.order == TileOrder::Physical) {
        for (MemoryLayer& layer : plot.layers)
            layer.bytes = inPhysicalOrder(target, layer.bytes);
        plot.total = inPhysicalOrder(target, plot.total);
    }
    return plot;
}

MemoryBreakdown memoryBreakdownFrom(std::string_view name) {
    static const std::vector<std::string> names{"none", "region", "category", "liveness"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name)
            return static_cast<MemoryBreakdown>(i);
    throw UserError(fmt::format("unknown breakdown '{}': it can be none, region, category or "
                                "liveness.{}",
                                name, didYouMean(name, names)));
}

} // namespace tilescope
