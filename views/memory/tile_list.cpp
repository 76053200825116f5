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
    constexpr std::size_t fewest = 3; // needed for a range
    QStringList parts;
    for (std::size_t i = 0; i < tiles.size();) {
        std::size_t end = i + 1;
        while (end < tiles.size() && tiles[end].value() == tiles[end - 1].value() + 1)
            ++end;
        if (end - i >= fewest) {
            parts.append(QStringLiteral("%1-%2").arg(tiles[i].value()).arg(tiles[end - 1].value()));
            i = end;
        } else {
            parts.append(QString::number(tiles[i++].value()));
        }
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace tilescope::views
