#include "views/memory/tile_list.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::views {

std::optional<std::vector<TileId>> parseTileList(const QString& text, std::int32_t tiles,
                                                 std::size_t mostTiles) {
    std::vector<TileId> list;
    std::vector<bool> listed(static_cast<std::size_t>(std::max(0, tiles)), false);
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty())
            continue;
        const QStringList ends = part.split(QLatin1Char('-'));
        bool firstGood = false;
        bool lastGood = false;
        const int first = ends.front().trimmed().toInt(&firstGood);
        const int last = ends.back().trimmed().toInt(&lastGood);
        if (ends.size() > 2 || !firstGood || !lastGood || first < 0 || last < first ||
            last >= tiles)
            return std::nullopt;
        for (int tile = first; tile <= last && list.size() < mostTiles; ++tile)
            if (!listed[static_cast<std::size_t>(tile)]) {
                listed[static_cast<std::size_t>(tile)] = true;
                list.push_back(TileId(tile));
            }
    }
    return list;
}

QString tileListText(const std::vector<TileId>& tiles) {
    QStringList parts;
    for (const TileId tile : tiles)
        parts.append(QString::number(tile.value()));
    return parts.join(QStringLiteral(", "));
}

} // namespace tilescope::views
