#include "views/tables/profile_tables.h"

#include <array>

#include "core/analysis/memory/address_map.h"
#include "core/report/item_tables.h"

namespace tilescope::views {
namespace {

/// The column by which items are compared between profiles and between selections of tiles.
struct Compared {
    const char* title;
    const char* column;
    const char* titleOfTiles;
    const char* columnOfTiles;
};
const Compared& comparedBy(MemoryTable which) {
    static constexpr std::array<Compared, 4> all{
        {{"Variable", "bytes", "Variable", "bytes"},
         {"Vertex type (code and state)", "bytes", "Vertex type (code and state)", "bytes"},
         {"Compute set (cycles)", "cycles", "Compute set (vertex state)", "stateBytes"},
         {"Exchange (code)", "codeBytes", "Exchange (code)", "codeBytes"}}};
    return all.at(static_cast<std::size_t>(which));
}

Table itemsOf(MemoryTable which, const ProfileView& profile, const TileSelection& tiles,
              const std::stop_token& stop) {
    const Target& machine = profile.machine();
    switch (which) {
    case MemoryTable::Variables:
        return variablesTable(machine, *profile.variables(stop), tiles);
    case MemoryTable::Vertices:
        return verticesTable(machine, *profile.vertexTypes(stop), *profile.computeSets(stop),
                             tiles);
    case MemoryTable::ComputeSets:
        return computeSetsTable(machine, *profile.computeSets(stop), *profile.vertexTypes(stop),
                                *profile.operations(stop), tiles);
    case MemoryTable::Exchanges:
        break;
    }
    return exchangesTable(machine, *profile.exchanges(stop), *profile.operations(stop), tiles);
}

std::vector<NamedValue> valuesOn(MemoryTable which, const ProfileView& profile,
                                 const TileSelection& tiles, const std::stop_token& stop) {
    if (fittedTo(profile.machine(), tiles) != tiles)
        return {};
    std::vector<NamedValue> values =
        namedValues(itemsOf(which, profile, tiles, stop), comparedBy(which).columnOfTiles);
    std::erase_if(values, [](const NamedValue& value) { return value.value == 0; });
    return values;
}

// If variables of a tile share addresses, their bytes add up to more than it holds.
std::string sharingText(const ProfilePair& profiles, const TileSelection& tiles, ByteUnits units,
                        const std::stop_token& stop) {
    std::string all;
    for (const ProfileViewPtr& profile : {profiles.source, profiles.target}) {
        if (!profile || !tiles.tile().valid() || fittedTo(profile->machine(), tiles) != tiles)
            continue;
        const std::string text =
            addressSharing(addressBlocks(profile->reader(stop).placement(tiles.tile()),
                                         *profile->variables(stop), tiles.tile()))
                .text(units);
        const char* side = !profiles.comparing()        ? ""
                           : profile == profiles.source ? "source: "
                                                        : "target: ";
        if (!text.empty())
            all += std::string("  \u00b7  ") + side + text;
    }
    return all;
}

} // namespace

TileSelection fittedTo(const Target& machine, const TileSelection& tiles) {
    const bool missing = tiles.tile().valid() ? tiles.tile().value() >= machine.totalTiles()
                                              : tiles.ipu().value() >= machine.ipus;
    return missing ? TileSelection::all() : tiles;
}

std::shared_ptr<const Matching> matchingOf(MemoryTable which, const ProfilePair& profiles,
                                           const std::stop_token& stop) {
    if (!profiles.comparing())
        return nullptr;
    switch (which) {
    case MemoryTable::Variables:
        return profiles.matching->variables(stop);
    case MemoryTable::Vertices:
        return profiles.matching->vertexTypes(stop);
    case MemoryTable::ComputeSets:
        return profiles.matching->computeSets(stop);
    case MemoryTable::Exchanges:
        break;
    }
    return profiles.matching->exchanges(stop);
}

Table itemTable(MemoryTable which, const ProfilePair& profiles, const TileSelection& tiles,
                const std::stop_token& stop) {
    const auto of = [&](const ProfileView& profile) {
        return itemsOf(which, profile, fittedTo(profile.machine(), tiles), stop);
    };
    Table table = of(*profiles.source);
    if (!profiles.comparing())
        return table;
    const Compared& by = comparedBy(which);
    return comparedTable(
        by.title, table.columns[table.columnOf(by.column)].unit, namedValues(table, by.column),
        namedValues(of(*profiles.target), by.column), *matchingOf(which, profiles, stop));
}

Table memoryTable(MemoryTable which, const ProfilePair& profiles,
                  std::span<const TileSelection> columns, ByteUnits units,
                  const std::stop_token& stop) {
    if (columns.size() == 1) {
        Table table = itemTable(which, profiles, columns.front(), stop);
        table.summary = columns.front().label();
        if (which == MemoryTable::Variables)
            table.summary += sharingText(profiles, columns.front(), units, stop);
        return table;
    }
    std::vector<ValueColumn> values;
    for (const TileSelection& column : columns) {
        values.push_back({column.label(), valuesOn(which, *profiles.source, column, stop), {}});
        if (profiles.comparing())
            values.back().target = valuesOn(which, *profiles.target, column, stop);
    }
    const auto matching = matchingOf(which, profiles, stop);
    return columnTable(comparedBy(which).titleOfTiles, Unit::Bytes, matching.get(),
                       std::move(values));
}

} // namespace tilescope::views
