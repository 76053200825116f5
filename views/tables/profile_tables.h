// The tables that several reports show, made on a worker thread from one or two profiles.
#pragma once

#include <stop_token>

#include "core/target/selection.h"
#include "views/session/open_profile.h"
#include "views/tables/data_table.h"

namespace tilescope::views {

/// A name with a value, to be matched with the same name of another profile.
struct NamedValue {
    std::string name;
    std::int64_t value = 0;
    std::int32_t id = -1;
};

/// Columns name, Source, Target, Diff; rows of equal names are summed in one line, the
/// largest difference first. Ids are the source's, -1 for what only the target has.
DataTable comparedTable(const QString& nameTitle, CellKind kind, std::vector<NamedValue> source,
                        std::vector<NamedValue> target);

/// Variables with bytes on the tiles; ids are VariableIds.
DataTable variablesTable(const ProfilePair& profiles, const TileSelection& tiles,
                         const std::stop_token& stop);
/// Vertex types with code and state; ids are VertexTypeIds.
DataTable verticesTable(const ProfilePair& profiles, const TileSelection& tiles,
                        const std::stop_token& stop);
/// Compute sets; ids are ComputeSetIds.
DataTable computeSetsTable(const ProfilePair& profiles, const TileSelection& tiles,
                           const std::stop_token& stop);
/// Exchanges; ids are ExchangeIds.
DataTable exchangesTable(const ProfilePair& profiles, const TileSelection& tiles,
                         const std::stop_token& stop);

/// The selection a target profile can answer: all tiles where it lacks the IPU or tile.
TileSelection fittedTo(const Target& machine, const TileSelection& tiles);

} // namespace tilescope::views
