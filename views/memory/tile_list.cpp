#include "views/memory/tile_list.h"

#include <QStringList>

#include "views/widgets/number_list.h"

namespace tilescope::views {

std::optional<std::vector<TileId>> parseTileList(const QString& text, std::int32_t tiles,
                                                 std::size_t mostTiles) {
    const auto numbers = parseNumberList(text, tiles, mostTiles);
    if (!numbers)
        return std::nullopt;
    std::vector<TileId> list;
    for (const std::int32_t number : *numbers)
        list.emplace_back(number);
    return list;
}

QString tileListText(const std::vector<TileId>& tiles) {
    QStringList parts;
    for (const TileId tile : tiles)
        parts.append(QString::number(tile.value()));
    return parts.join(QStringLiteral(", "));
}

} // namespace tilescope::views
