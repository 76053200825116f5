// The tables that several reports show, made on a worker thread from one or two profiles.
#pragma once

#include <span>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/report/compared_tables.h"
#include "core/target/selection.h"

namespace tilescope::views {

/// The items of a memory report; rows have their ids.
enum class MemoryTable { Variables, Vertices, ComputeSets, Exchanges };
/// The items on some tiles; with two profiles one column side by side.
Table itemTable(MemoryTable which, const ProfilePair& profiles, const TileSelection& tiles,
                const std::stop_token& stop);
/// One selection: all columns of each item. Several: its bytes in each of them (of vertices code
/// and state, of compute sets vertex state, of exchanges their code), empty for tiles that the
/// target lacks. If variables of a tile share addresses, the summary says so in these units.
Table memoryTable(MemoryTable which, const ProfilePair& profiles,
                  std::span<const TileSelection> columns, ByteUnits units,
                  const std::stop_token& stop);

/// How the items of source and target match; nullptr without a target.
std::shared_ptr<const Matching> matchingOf(MemoryTable which, const ProfilePair& profiles,
                                           const std::stop_token& stop);

/// The selection as far as a profile has it: all tiles if it lacks the IPU or tile.
TileSelection fittedTo(const Target& machine, const TileSelection& tiles);

} // namespace tilescope::views
