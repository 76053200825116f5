#include "views/memory/tile_map_layout.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {
constexpr double widestCell = 1.6; ///< width of a tile against its height
constexpr double gapShare = 0.35;  ///< between exchange columns, of a tile's width
} // namespace

TileMapLayout::TileMapLayout(FloorPlan plan, int chips, int perRow, const QRectF& room)
    : plan_(std::move(plan))
    , chips_(std::max(1, chips))
    , perRow_(perRow) {
    if (perRow_ <= 0) {
        perRow_ = 1;
        for (int candidate = 2; candidate <= chips_; ++candidate)
            if (cellFor(candidate, room.size()).width() > cellFor(perRow_, room.size()).width())
                perRow_ = candidate;
    }
    // Half a pixel is still seen.
    constexpr double smallest = 0.5;
    cell_ = cellFor(perRow_, room.size()).expandedTo({smallest, smallest});
    columnGap_ = plan_.hasExchangeColumns() ? gapShare * cell_.width() : 0;
    const int across = std::min(perRow_, chips_);
    const double used = across * chipRect(0).width() + (across - 1) * spacing;
    origin_ = room.topLeft() + QPointF(std::max(0.0, (room.width() - used) / 2), 0);
}

QSizeF TileMapLayout::cellFor(int perRow, const QSizeF& room) const {
    const int lines = (chips_ + perRow - 1) / perRow;
    const double gaps =
        plan_.hasExchangeColumns() ? gapShare * (plan_.columns() / double{tilesPerIsland} - 1) : 0;
    const double width = (room.width() - (perRow - 1) * spacing) / perRow;
    const double height = (room.height() - (lines - 1) * spacing) / lines - titleHeight;
    // Not more than there is room for: a row too many would be out of sight.
    constexpr double least = 0.01;
    const double cellHeight = std::max(least, height / std::max(1, plan_.rows()));
    const double cellWidth = std::max(least, width / (plan_.columns() + gaps));
    return {std::min(cellWidth, widestCell * cellHeight),
            std::min(cellHeight, widestCell * cellWidth)};
}

double TileMapLayout::columnLeft(std::int32_t column) const {
    const double gaps = plan_.hasExchangeColumns() ? columnGap_ * (column / tilesPerIsland) : 0;
    return column * cell_.width() + gaps;
}

QRectF TileMapLayout::chipRect(int chip) const {
    const QSizeF size(columnLeft(plan_.columns() - 1) + cell_.width(),
                      plan_.rows() * cell_.height());
    return {origin_ +
                QPointF((chip % perRow_) * (size.width() + spacing),
                        (chip / perRow_) * (size.height() + titleHeight + spacing) + titleHeight),
            size};
}

QRectF TileMapLayout::titleRect(int chip) const {
    const QRectF chipAt = chipRect(chip);
    return {chipAt.left(), chipAt.top() - titleHeight, chipAt.width(), titleHeight};
}

QRectF TileMapLayout::tileRect(int chip, std::int32_t tileOnIpu) const {
    const TilePlace place = plan_.place(tileOnIpu);
    return {chipRect(chip).topLeft() +
                QPointF(columnLeft(place.column), place.row * cell_.height()),
            cell_};
}

std::optional<TileMapLayout::Hit> TileMapLayout::hit(const QPointF& position) const {
    for (int chip = 0; chip < chips_; ++chip) {
        const QRectF rect = chipRect(chip);
        if (!rect.contains(position))
            continue;
        const double island = tilesPerIsland * cell_.width() + columnGap_;
        const double x = position.x() - rect.left();
        auto column = static_cast<std::int32_t>(x / cell_.width());
        if (plan_.hasExchangeColumns()) {
            const double within = std::fmod(x, island) / cell_.width();
            if (within >= tilesPerIsland)
                return {};
            column = static_cast<std::int32_t>(x / island) * tilesPerIsland +
                     static_cast<std::int32_t>(within);
        }
        const auto row = static_cast<std::int32_t>((position.y() - rect.top()) / cell_.height());
        const std::int32_t tile = plan_.tileAt({column, row});
        return tile < 0 ? std::nullopt : std::optional(Hit{chip, tile});
    }
    return {};
}

} // namespace tilescope::views
