#include "views/tables/profile_tables.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/analysis/compare/names.h"
#include "core/analysis/memory/tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

struct Matched {
    std::optional<std::int64_t> source;
    std::optional<std::int64_t> target;
    std::int32_t id = -1;
    std::string name; ///< as it is shown
};

// One side's rows by name: what both kinds of table are made from.
template <class Rows, class Value, class Id>
std::vector<NamedValue> named(const Rows& rows, Value value, Id id) {
    std::vector<NamedValue> values;
    values.reserve(rows.size());
    for (const auto& row : rows)
        values.push_back({row.name, value(row), id(row)});
    return values;
}

QString yesNo(bool yes) {
    return yes ? Text::tr("yes") : Text::tr("no");
}

std::string vertexTypesText(const ComputeSet& set,
                            const IdVector<VertexTypeId, VertexType>& types) {
    std::string text;
    for (const VertexInstances& group : set.vertices)
        text += (text.empty() ? "" : ", ") + types[group.type].name;
    return text;
}

QString tileText(TileId tile) {
    return tile.valid() ? QString::number(tile.value()) : QString();
}

} // namespace

TileSelection fittedTo(const Target& machine, const TileSelection& tiles) {
    const bool missing = tiles.tile().valid() ? tiles.tile().value() >= machine.totalTiles()
                                              : tiles.ipu().value() >= machine.ipus;
    return missing ? TileSelection::all() : tiles;
}

DataTable comparedTable(const QString& nameTitle, CellKind kind, std::vector<NamedValue> source,
                        std::vector<NamedValue> target) {
    std::map<std::string, Matched> byName;
    // The compiler's own counting does not make another name: copy3_Copy_x is copy5_Copy_x.
    const auto matchedTo = [&](std::string& name) -> Matched& {
        Matched& matched = byName[comparableName(name)];
        if (matched.name.empty())
            matched.name = std::move(name);
        return matched;
    };
    for (NamedValue& row : source) {
        Matched& matched = matchedTo(row.name);
        matched.source = matched.source.value_or(0) + row.value;
        matched.id = row.id;
    }
    for (NamedValue& row : target) {
        Matched& matched = matchedTo(row.name);
        matched.target = matched.target.value_or(0) + row.value;
    }
    DataTable table;
    // Cycles of the slowest tiles of different steps are no sum of anything.
    const bool isSum = kind != CellKind::Cycles;
    table.columns = {{nameTitle, CellKind::Text, {}},
                     {Text::tr("Source"), kind, {}, isSum},
                     {Text::tr("Target"), kind, {}, isSum},
                     {Text::tr("Difference"), changeKindOf(kind),
                      Text::tr("Target minus source; per cent of the source"), isSum}};
    for (const auto& [key, matched] : byName)
        table.rows.push_back({{matched.name, cellOf(matched.source), cellOf(matched.target),
                               Change{matched.source.value_or(0), matched.target.value_or(0)}},
                              matched.id});
    std::stable_sort(table.rows.begin(), table.rows.end(), [](const DataRow& a, const DataRow& b) {
        return cellLess(b.cells[3], a.cells[3]);
    });
    return table;
}

DataTable variablesTable(const ProfilePair& profiles, const TileSelection& tiles,
                         const std::stop_token& stop) {
    const auto rowsOf = [&](const OpenProfile& profile) {
        return variableTable(profile.machine(), *profile.variables(stop),
                             fittedTo(profile.machine(), tiles));
    };
    const std::vector<VariableRow> rows = rowsOf(*profiles.source);
    if (profiles.comparing()) {
        const auto values = [](const std::vector<VariableRow>& of) {
            return named(
                of, [](const auto& row) { return row.bytes; },
                [](const auto& row) { return row.variable.value(); });
        };
        return comparedTable(Text::tr("Variable"), CellKind::Bytes, values(rows),
                             values(rowsOf(*profiles.target)));
    }
    DataTable table;
    table.columns = {
        {Text::tr("Variable"), CellKind::Text, {}},
        {Text::tr("Category"), CellKind::Text, {}},
        {Text::tr("Shape"), CellKind::Text, {}},
        {Text::tr("Always live"), CellKind::Text, {}},
        {Text::tr("Size"), CellKind::Bytes, Text::tr("On the selected tiles"), true},
        {Text::tr("Tiles"), CellKind::Count, Text::tr("Selected tiles that hold a part")},
        {Text::tr("Largest part"), CellKind::Bytes, Text::tr("On one tile")},
        {Text::tr("On tile"), CellKind::Text, Text::tr("First tile with the largest part")}};
    for (const VariableRow& row : rows)
        table.rows.push_back(
            {{row.name, std::string(displayName(row.category)),
              row.type.empty() ? row.shape : row.type + row.shape,
              yesNo(row.alwaysLive).toStdString(), row.bytes, std::int64_t{row.tiles},
              row.maxTileBytes, tileText(row.maxTile).toStdString()},
             row.variable.value()});
    return table;
}

DataTable verticesTable(const ProfilePair& profiles, const TileSelection& tiles,
                        const std::stop_token& stop) {
    const auto rowsOf = [&](const OpenProfile& profile) {
        return vertexTable(profile.machine(), *profile.vertexTypes(stop),
                           *profile.computeSets(stop), fittedTo(profile.machine(), tiles));
    };
    const std::vector<VertexRow> rows = rowsOf(*profiles.source);
    if (profiles.comparing()) {
        const auto values = [](const std::vector<VertexRow>& of) {
            return named(
                of, [](const auto& row) { return row.codeBytes + row.stateBytes; },
                [](const auto& row) { return row.type.value(); });
        };
        return comparedTable(Text::tr("Vertex type (code and state)"), CellKind::Bytes,
                             values(rows), values(rowsOf(*profiles.target)));
    }
    DataTable table;
    table.columns = {
        {Text::tr("Vertex type"), CellKind::Text, {}},
        {Text::tr("Vertices"), CellKind::Count, {}, true},
        {Text::tr("Compute sets"), CellKind::Count, {}},
        {Text::tr("Code"), CellKind::Bytes, Text::tr("Stored once on each tile that runs it"),
         true},
        {Text::tr("State"), CellKind::Bytes, Text::tr("Instance state and field data"), true},
        {Text::tr("Total"), CellKind::Bytes, {}, true}};
    for (const VertexRow& row : rows)
        table.rows.push_back(
            {{row.name, row.count, static_cast<std::int64_t>(row.computeSets.size()), row.codeBytes,
              row.stateBytes, row.codeBytes + row.stateBytes},
             row.type.value()});
    return table;
}

DataTable computeSetsTable(const ProfilePair& profiles, const TileSelection& tiles,
                           const std::stop_token& stop) {
    const auto rowsOf = [&](const OpenProfile& profile) {
        return computeSetTable(profile.machine(), *profile.computeSets(stop),
                               fittedTo(profile.machine(), tiles));
    };
    const std::vector<ComputeSetRow> rows = rowsOf(*profiles.source);
    if (profiles.comparing()) {
        const auto values = [](const std::vector<ComputeSetRow>& of) {
            return named(
                of, [](const auto& row) { return row.cycles; },
                [](const auto& row) { return row.computeSet.value(); });
        };
        return comparedTable(Text::tr("Compute set (cycles)"), CellKind::Cycles, values(rows),
                             values(rowsOf(*profiles.target)));
    }
    DataTable table;
    table.columns = {
        {Text::tr("Compute set"), CellKind::Text, {}},
        {Text::tr("Vertices"), CellKind::Count, {}, true},
        {Text::tr("State"), CellKind::Bytes, {}, true},
        {Text::tr("Tiles"), CellKind::Count, Text::tr("Selected tiles that compute")},
        {Text::tr("Cycles"), CellKind::Cycles, Text::tr("Slowest tile, one execution, estimated")},
        {Text::tr("Balance"), CellKind::Share,
         Text::tr("Active cycles of all tiles against the slowest")},
        {Text::tr("Vertex types"), CellKind::Text, Text::tr("The filter finds these too")}};
    const auto sets = profiles.source->computeSets(stop);
    const auto types = profiles.source->vertexTypes(stop);
    for (const ComputeSetRow& row : rows)
        table.rows.push_back(
            {{row.name, row.vertices, row.stateBytes, std::int64_t{row.tiles}, row.cycles,
              row.balance, vertexTypesText((*sets)[row.computeSet], *types)},
             row.computeSet.value()});
    return table;
}

DataTable exchangesTable(const ProfilePair& profiles, const TileSelection& tiles,
                         const std::stop_token& stop) {
    const auto rowsOf = [&](const OpenProfile& profile) {
        return exchangeTable(profile.machine(), *profile.exchanges(stop),
                             fittedTo(profile.machine(), tiles));
    };
    const std::vector<ExchangeRow> rows = rowsOf(*profiles.source);
    if (profiles.comparing()) {
        const auto values = [](const std::vector<ExchangeRow>& of) {
            return named(
                of, [](const auto& row) { return row.codeBytes; },
                [](const auto& row) { return row.exchange.value(); });
        };
        return comparedTable(Text::tr("Exchange (code)"), CellKind::Bytes, values(rows),
                             values(rowsOf(*profiles.target)));
    }
    DataTable table;
    table.columns = {
        {Text::tr("Exchange"), CellKind::Text, {}},
        {Text::tr("Received"), CellKind::Bytes, {}, true},
        {Text::tr("Sent"), CellKind::Bytes, Text::tr("Counted at each receiver"), true},
        {Text::tr("Run"), CellKind::Bytes,
         Text::tr("Typical contiguous run at the source; short runs make a strided copy")},
        {Text::tr("Cycles"), CellKind::Cycles, Text::tr("Slowest tile, one execution, estimated")},
        {Text::tr("Code"), CellKind::Bytes, Text::tr("Internal exchange code"), true}};
    for (const ExchangeRow& row : rows)
        table.rows.push_back(
            {{row.name, row.bytesReceived, row.bytesSent, row.runBytes, row.cycles, row.codeBytes},
             row.exchange.value()});
    return table;
}

} // namespace tilescope::views
