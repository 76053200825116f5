// Where the tiles of an IPU are on the chip.
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"

namespace tilescope {

/// A place on a chip, counted in tiles from the top left corner.
struct TilePlace {
    std::int32_t column = 0;
    std::int32_t row = 0;
    friend bool operator==(const TilePlace&, const TilePlace&) = default;
};

/// The tiles of one IPU as a rectangle: each exchange column is as wide as an island of tiles, each
/// row one island high. Tiles are placed by physicalTileId(), which is *assumed*. A machine whose
/// tiles do not fill all columns evenly is a plain grid in the order of physical ids.
class FloorPlan {
public:
    explicit FloorPlan(const Target& target);

    [[nodiscard]] std::int32_t columns() const { return columns_; } ///< tiles from left to right
    [[nodiscard]] std::int32_t rows() const { return rows_; }
    [[nodiscard]] std::int32_t tiles() const { return static_cast<std::int32_t>(places_.size()); }
    /// False for the plain grid.
    [[nodiscard]] bool hasExchangeColumns() const { return exchangeColumns_; }
    /// The place of a tile, given as its software id on its IPU.
    [[nodiscard]] TilePlace place(std::int32_t tileOnIpu) const {
        return places_.at(static_cast<std::size_t>(tileOnIpu));
    }
    /// The software id on its IPU of the tile at a place; -1 if there is none.
    [[nodiscard]] std::int32_t tileAt(TilePlace place) const;

private:
    std::int32_t columns_ = 0;
    std::int32_t rows_ = 0;
    bool exchangeColumns_ = false;
    std::vector<TilePlace> places_;
    std::vector<std::int32_t> tiles_; ///< by row and column
};

} // namespace tilescope
