#include "core/analysis/memory/summary.h"

#include <algorithm>

namespace tilescope {

MemorySummary summariseMemory(const Target& target, const IdVector<TileId, TileMemory>& tiles,
                              const std::vector<std::int64_t>& notAlwaysLive) {
    MemorySummary summary;
    summary.limitPerTile = target.bytesPerTile;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const TileMemory& tile = tiles[TileId(i)];
        summary.total.includingGaps += tile.includingGaps;
        summary.total.excludingGaps += tile.excludingGaps;
        summary.alwaysLive += tile.alwaysLive;
        if (tile.includingGaps > target.bytesPerTile)
            ++summary.tilesOverLimit;
        if (!summary.maxTileId.valid() || tile.includingGaps > summary.maxTile.includingGaps) {
            summary.maxTileId = TileId(i);
            summary.maxTile = {tile.includingGaps, tile.excludingGaps};
        }
    }
    for (const std::int64_t bytes : notAlwaysLive)
        summary.maxNotAlwaysLive = std::max(summary.maxNotAlwaysLive, bytes);
    return summary;
}

MemorySummary memorySummary(const ProfileView& profile, ProfileView::Stop stop) {
    return summariseMemory(profile.machine(), *profile.tileMemory(stop),
                           *profile.notAlwaysLive(stop));
}

} // namespace tilescope
