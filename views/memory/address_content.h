// What the tabs about the addresses of a tile show, made on a worker thread.
#pragma once

#include <optional>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "views/memory/address_map.h"

namespace tilescope::views {

/// The tile or, if it is invalid, the source's tile that uses most memory.
TileId tileOrFullest(const ProfilePair& profiles, TileId tile, const std::stop_token& stop);

/// The addresses of a tile, with their steps if `overTime`; nothing if the machine has no such
/// tile.
std::optional<TileAddresses> tileAddresses(const ProfileView& profile, TileId tile, bool overTime,
                                           const std::stop_token& stop);

/// Tile, how far up addresses are in use, and the gaps.
QString addressTitle(TileId tile, const TileAddresses& content, const Preferences& preferences);

} // namespace tilescope::views
