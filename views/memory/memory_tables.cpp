#include "views/memory/memory_tables.h"

#include "core/analysis/memory/address_map.h"
#include "core/analysis/memory/tables.h"
#include "views/tables/column_table.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

template <class Rows, class Bytes, class Id>
std::vector<NamedValue> valuesOf(const Rows& rows, Bytes bytes, Id id) {
    std::vector<NamedValue> values;
    for (const auto& row : rows)
        if (bytes(row) != 0)
            values.push_back({row.name, bytes(row), id(row)});
    return values;
}

std::vector<NamedValue> valuesOn(MemoryTable which, const OpenProfile& profile,
                                 const TileSelection& tiles, const std::stop_token& stop) {
    const Target& machine = profile.machine();
    if (fittedTo(machine, tiles) != tiles)
        return {};
    switch (which) {
    case MemoryTable::Variables:
        return valuesOf(
            variableTable(machine, *profile.variables(stop), tiles),
            [](const VariableRow& row) { return row.bytes; },
            [](const VariableRow& row) { return row.variable.value(); });
    case MemoryTable::Vertices:
        return valuesOf(
            vertexTable(machine, *profile.vertexTypes(stop), *profile.computeSets(stop), tiles),
            [](const VertexRow& row) { return row.codeBytes + row.stateBytes; },
            [](const VertexRow& row) { return row.type.value(); });
    case MemoryTable::ComputeSets:
        return valuesOf(
            computeSetTable(machine, *profile.computeSets(stop), tiles),
            [](const ComputeSetRow& row) { return row.stateBytes; },
            [](const ComputeSetRow& row) { return row.computeSet.value(); });
    case MemoryTable::Exchanges:
        break;
    }
    return valuesOf(
        exchangeTable(machine, *profile.exchanges(stop), tiles),
        [](const ExchangeRow& row) { return row.codeBytes; },
        [](const ExchangeRow& row) { return row.exchange.value(); });
}

QString nameOf(MemoryTable which) {
    switch (which) {
    case MemoryTable::Variables:
        return Text::tr("Variable");
    case MemoryTable::Vertices:
        return Text::tr("Vertex type (code and state)");
    case MemoryTable::ComputeSets:
        return Text::tr("Compute set (vertex state)");
    case MemoryTable::Exchanges:
        break;
    }
    return Text::tr("Exchange (code)");
}

// The bytes of a tile's variables add up to more than it holds where they share addresses.
QStringList sharingTexts(const ProfilePair& profiles, const TileSelection& tiles, ByteUnits units,
                         const std::stop_token& stop) {
    QStringList texts;
    for (const OpenProfilePtr& profile : {profiles.source, profiles.target}) {
        if (!profile || !tiles.tile().valid() || fittedTo(profile->machine(), tiles) != tiles)
            continue;
        const auto blocks = addressBlocks(profile->reader(stop).placement(tiles.tile()),
                                          *profile->variables(stop), tiles.tile());
        const auto text = QString::fromStdString(addressSharing(blocks).text(units));
        if (text.isEmpty())
            continue;
        const bool isSource = profile == profiles.source;
        texts.append(!profiles.comparing() ? text
                     : isSource            ? Text::tr("source: %1").arg(text)
                                           : Text::tr("target: %1").arg(text));
    }
    return texts;
}

} // namespace

DataTable memoryTable(MemoryTable which, const ProfilePair& profiles,
                      std::span<const TileSelection> columns, ByteUnits units,
                      const std::stop_token& stop) {
    using Make = DataTable (*)(const ProfilePair&, const TileSelection&, const std::stop_token&);
    static constexpr Make makers[] = {variablesTable, verticesTable, computeSetsTable,
                                      exchangesTable};
    if (columns.size() == 1) {
        DataTable table = makers[static_cast<int>(which)](profiles, columns.front(), stop);
        QStringList summary{QString::fromStdString(columns.front().label())};
        if (which == MemoryTable::Variables)
            summary += sharingTexts(profiles, columns.front(), units, stop);
        table.summary = summary.join(QStringLiteral("  \u00b7  "));
        return table;
    }
    std::vector<ValueColumn> values;
    for (const TileSelection& column : columns) {
        values.push_back({QString::fromStdString(column.label()),
                          valuesOn(which, *profiles.source, column, stop),
                          {}});
        if (profiles.comparing())
            values.back().target = valuesOn(which, *profiles.target, column, stop);
    }
    return columnTable(nameOf(which), CellKind::Bytes, profiles.comparing(), std::move(values));
}

} // namespace tilescope::views
