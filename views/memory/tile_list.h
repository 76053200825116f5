// Lists of tiles as people type them.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/base/ids.h"

namespace tilescope::views {

/// The most tiles shown side by side, each a column of the tables.
inline constexpr std::size_t mostTilesListed = 16;

/// "1,5" or "0-3, 8"; nothing if the text is not a list or names a tile from `tiles` on. An empty
/// text is an empty list. At most `mostTiles` tiles are taken.
std::optional<std::vector<TileId>> parseTileList(const QString& text, std::int32_t tiles,
                                                 std::size_t mostTiles = mostTilesListed);

/// The list as text: "1, 5".
QString tileListText(const std::vector<TileId>& tiles);

} // namespace tilescope::views
