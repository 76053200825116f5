// The tables that several reports show, made on a worker thread from one or two profiles.
#pragma once

#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/report/compared_tables.h"
#include "core/target/selection.h"

namespace tilescope::views {

/// Variables with bytes on the tiles; ids are VariableIds.
Table variablesTable(const ProfilePair& profiles, const TileSelection& tiles,
                     const std::stop_token& stop);
/// Vertex types with code and state; ids are VertexTypeIds.
Table verticesTable(const ProfilePair& profiles, const TileSelection& tiles,
                    const std::stop_token& stop);
/// Compute sets; ids are ComputeSetIds.
Table computeSetsTable(const ProfilePair& profiles, const TileSelection& tiles,
                       const std::stop_token& stop);
/// Exchanges; ids are ExchangeIds.
Table exchangesTable(const ProfilePair& profiles, const TileSelection& tiles,
                     const std::stop_token& stop);

/// The items of a memory report.
enum class MemoryTable { Variables, Vertices, ComputeSets, Exchanges };
/// Those of one profile on tiles that it has.
Table itemTable(MemoryTable which, const ProfileView& profile, const TileSelection& tiles,
                const std::stop_token& stop);

/// The selection a target profile can answer: all tiles where it lacks the IPU or tile.
TileSelection fittedTo(const Target& machine, const TileSelection& tiles);

} // namespace tilescope::views
