#include "views/memory/memory_tables.h"

#include <array>

#include "core/analysis/memory/address_map.h"

namespace tilescope::views {
namespace {

/// What items are compared by between selections of tiles.
struct Compared {
    const char* title;
    const char* column;
};
constexpr std::array<Compared, 4> comparedBy{{{"Variable", "bytes"},
                                              {"Vertex type (code and state)", "bytes"},
                                              {"Compute set (vertex state)", "stateBytes"},
                                              {"Exchange (code)", "codeBytes"}}};

std::vector<NamedValue> valuesOn(MemoryTable which, const ProfileView& profile,
                                 const TileSelection& tiles, const std::stop_token& stop) {
    if (fittedTo(profile.machine(), tiles) != tiles)
        return {};
    std::vector<NamedValue> values =
        namedValues(itemTable(which, profile, tiles, stop),
                    comparedBy.at(static_cast<std::size_t>(which)).column);
    std::erase_if(values, [](const NamedValue& value) { return value.value == 0; });
    return values;
}

// The bytes of a tile's variables add up to more than it holds where they share addresses.
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

Table memoryTable(MemoryTable which, const ProfilePair& profiles,
                  std::span<const TileSelection> columns, ByteUnits units,
                  const std::stop_token& stop) {
    using Make = Table (*)(const ProfilePair&, const TileSelection&, const std::stop_token&);
    static constexpr Make makers[] = {variablesTable, verticesTable, computeSetsTable,
                                      exchangesTable};
    if (columns.size() == 1) {
        Table table = makers[static_cast<int>(which)](profiles, columns.front(), stop);
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
    return columnTable(comparedBy.at(static_cast<std::size_t>(which)).title, Unit::Bytes,
                       matching.get(), std::move(values));
}

} // namespace tilescope::views
