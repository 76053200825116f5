// What the address map and the addresses over time show, made on a worker thread.
#pragma once

#include <optional>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "views/memory/address_history.h"
#include "views/memory/address_map.h"

namespace tilescope::views {

/// The tile, or if it is none the one of the source that uses most memory.
TileId tileOrFullest(const ProfilePair& profiles, TileId tile, const std::stop_token& stop);

/// The addresses of a tile; nothing if the machine has no such tile.
std::optional<AddressMap::Content> addressMapContent(const ProfileView& profile, TileId tile,
                                                     const std::stop_token& stop);
std::optional<AddressHistoryContent> addressHistoryContent(const ProfileView& profile, TileId tile,
                                                           const std::stop_token& stop);

/// Side ("Source", "Target" or empty), tile, how far up addresses are in use, and the gaps.
QString addressTitle(TileId tile, const QString& side, const AddressMap::Content& content,
                     const Preferences& preferences);

/// The categories of the blocks, in the order of the enumeration.
std::vector<MemoryCategory> categoriesOf(const std::vector<MapBlock>& blocks);

} // namespace tilescope::views
