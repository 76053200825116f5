// The headline figures of a profile: what `run` and `info` print and the Summary report shows.
#pragma once

#include <cstdint>

#include "core/profile/profile.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Bytes with and without gaps.
struct GapBytes {
    std::int64_t includingGaps = 0;
    std::int64_t excludingGaps = 0;
    friend bool operator==(const GapBytes&, const GapBytes&) = default;
};

struct MemorySummary {
    std::int64_t limitPerTile = 0;
    TileId maxTileId; ///< the first tile with the most bytes including gaps; none without tiles
    GapBytes maxTile; ///< of that tile
    GapBytes total;   ///< over all tiles
    std::int64_t alwaysLive = 0;       ///< over all tiles
    std::int64_t maxNotAlwaysLive = 0; ///< largest at one program step, over all tiles
    std::int32_t tilesOverLimit = 0;
};

/// `notAlwaysLive` is by step over all tiles, as in LivenessCurve.
MemorySummary summariseMemory(const Target& target, const IdVector<TileId, TileMemory>& tiles,
                              const std::vector<std::int64_t>& notAlwaysLive);

MemorySummary memorySummary(const ProfileView& profile, ProfileView::Stop stop = {});

} // namespace tilescope
