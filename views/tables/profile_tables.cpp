#include "views/tables/profile_tables.h"

#include "core/report/item_tables.h"

namespace tilescope::views {
namespace {

// Of two profiles one column.
Table ofPair(MemoryTable which, const ProfilePair& profiles, const TileSelection& tiles,
             const char* nameTitle, const char* compared, const std::stop_token& stop) {
    const auto of = [&](const ProfileView& profile) {
        return itemTable(which, profile, fittedTo(profile.machine(), tiles), stop);
    };
    Table table = of(*profiles.source);
    if (!profiles.comparing())
        return table;
    return comparedTable(nameTitle, table.columns[table.columnOf(compared)].unit,
                         namedValues(table, compared), namedValues(of(*profiles.target), compared));
}

} // namespace

TileSelection fittedTo(const Target& machine, const TileSelection& tiles) {
    const bool missing = tiles.tile().valid() ? tiles.tile().value() >= machine.totalTiles()
                                              : tiles.ipu().value() >= machine.ipus;
    return missing ? TileSelection::all() : tiles;
}

Table itemTable(MemoryTable which, const ProfileView& profile, const TileSelection& tiles,
                const std::stop_token& stop) {
    const Target& machine = profile.machine();
    switch (which) {
    case MemoryTable::Variables:
        return tilescope::variablesTable(machine, *profile.variables(stop), tiles);
    case MemoryTable::Vertices:
        return tilescope::verticesTable(machine, *profile.vertexTypes(stop),
                                        *profile.computeSets(stop), tiles);
    case MemoryTable::ComputeSets:
        return tilescope::computeSetsTable(machine, *profile.computeSets(stop),
                                           *profile.vertexTypes(stop), *profile.operations(stop),
                                           tiles);
    case MemoryTable::Exchanges:
        break;
    }
    return tilescope::exchangesTable(machine, *profile.exchanges(stop), *profile.operations(stop),
                                     tiles);
}

Table variablesTable(const ProfilePair& profiles, const TileSelection& tiles,
                     const std::stop_token& stop) {
    return ofPair(MemoryTable::Variables, profiles, tiles, "Variable", "bytes", stop);
}

Table verticesTable(const ProfilePair& profiles, const TileSelection& tiles,
                    const std::stop_token& stop) {
    return ofPair(MemoryTable::Vertices, profiles, tiles, "Vertex type (code and state)", "bytes",
                  stop);
}

Table computeSetsTable(const ProfilePair& profiles, const TileSelection& tiles,
                       const std::stop_token& stop) {
    return ofPair(MemoryTable::ComputeSets, profiles, tiles, "Compute set (cycles)", "cycles",
                  stop);
}

Table exchangesTable(const ProfilePair& profiles, const TileSelection& tiles,
                     const std::stop_token& stop) {
    return ofPair(MemoryTable::Exchanges, profiles, tiles, "Exchange (code)", "codeBytes", stop);
}

} // namespace tilescope::views
