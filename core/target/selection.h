// The tiles that a figure is about.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/ids.h"
#include "core/target/target.h"

namespace tilescope {

/// Tiles [first, end) of the whole device.
struct TileRange {
    std::int32_t first = 0;
    std::int32_t end = 0;
    [[nodiscard]] std::int32_t tiles() const { return end - first; }
    friend bool operator==(const TileRange&, const TileRange&) = default;
};

/// All tiles, the tiles of one IPU, or one tile. The default is all tiles.
class TileSelection {
public:
    static TileSelection all() { return {}; }
    static TileSelection ofIpu(IpuId ipu) { return TileSelection(ipu, TileId()); }
    static TileSelection ofTile(TileId tile) { return TileSelection(IpuId(), tile); }

    TileSelection() = default;
    [[nodiscard]] IpuId ipu() const { return ipu_; }    ///< none unless one IPU is meant
    [[nodiscard]] TileId tile() const { return tile_; } ///< none unless one tile is meant
    /// Throws UserError for an IPU or a tile that the target does not have.
    [[nodiscard]] TileRange range(const Target& target) const;
    /// "All tiles", "IPU 0" or "Tile 3".
    [[nodiscard]] std::string label() const;
    friend bool operator==(const TileSelection&, const TileSelection&) = default;

private:
    TileSelection(IpuId ipu, TileId tile)
        : ipu_(ipu)
        , tile_(tile) {}
    IpuId ipu_;
    TileId tile_;
};

} // namespace tilescope
