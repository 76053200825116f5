// The tables of the memory report: for one selection of tiles, or several beside each other.
#pragma once

#include <span>

#include "views/tables/profile_tables.h"

namespace tilescope::views {

/// One selection: everything that is known of each item. Several: its bytes on each of them (of
/// vertices code and state, of compute sets vertex state, of exchanges their code); tiles that the
/// target lacks are empty there.
Table memoryTable(MemoryTable which, const ProfilePair& profiles,
                  std::span<const TileSelection> columns, const std::stop_token& stop);

} // namespace tilescope::views
