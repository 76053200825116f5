#include "core/analysis/memory/floor_plan.h"

#include <algorithm>

namespace tilescope {

FloorPlan::FloorPlan(const Target& target) {
    const std::int32_t count = target.tilesPerIpu;
    const std::int32_t across = chipColumns * tilesPerIsland;
    exchangeColumns_ = count > 0 && count % across == 0;
    columns_ = std::max(1, std::min(count, across));
    rows_ = (count + columns_ - 1) / columns_;
    tiles_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), -1);
    places_.reserve(static_cast<std::size_t>(count));
    for (std::int32_t tile = 0; tile < count; ++tile) {
        const std::int32_t id = physicalTileId(target, tile);
        TilePlace place{id % columns_, id / columns_};
        if (exchangeColumns_) {
            const std::int32_t island = id / tilesPerIsland;
            place = {island / rows_ * tilesPerIsland + id % tilesPerIsland, island % rows_};
        }
        places_.push_back(place);
        tiles_[static_cast<std::size_t>(place.row * columns_ + place.column)] = tile;
    }
}

std::int32_t FloorPlan::tileAt(TilePlace place) const {
    if (place.column < 0 || place.column >= columns_ || place.row < 0 || place.row >= rows_)
        return -1;
    return tiles_[static_cast<std::size_t>(place.row * columns_ + place.column)];
}

} // namespace tilescope
