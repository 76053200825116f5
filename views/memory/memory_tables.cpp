#include "views/memory/memory_tables.h"

#include <array>

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

} // namespace

Table memoryTable(MemoryTable which, const ProfilePair& profiles,
                  std::span<const TileSelection> columns, const std::stop_token& stop) {
    using Make = Table (*)(const ProfilePair&, const TileSelection&, const std::stop_token&);
    static constexpr Make makers[] = {variablesTable, verticesTable, computeSetsTable,
                                      exchangesTable};
    if (columns.size() == 1) {
        Table table = makers[static_cast<int>(which)](profiles, columns.front(), stop);
        table.summary = columns.front().label();
        return table;
    }
    std::vector<ValueColumn> values;
    for (const TileSelection& column : columns) {
        values.push_back({column.label(), valuesOn(which, *profiles.source, column, stop), {}});
        if (profiles.comparing())
            values.back().target = valuesOn(which, *profiles.target, column, stop);
    }
    return columnTable(comparedBy.at(static_cast<std::size_t>(which)).title, Unit::Bytes,
                       profiles.comparing(), std::move(values));
}

} // namespace tilescope::views
