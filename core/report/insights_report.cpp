#include <algorithm>

#include "core/report/item_tables.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

// What takes the memory of an IPU or a tile.
Document largestOf(const ProfileReader& reader, const TileSelection& tiles) {
    constexpr std::size_t shownParts = 5; // of each kind
    const auto variables = reader.variables();
    const auto classes = reader.livenessClasses();
    const auto vertexTypes = reader.vertexTypes();
    const auto computeSets = reader.computeSets();
    const auto exchanges = reader.exchanges();
    const MemoryParts parts{reader.info().target, variables,   classes,
                            vertexTypes,          computeSets, exchanges,
                            reader.steps().size()};
    Document document;
    for (const PartKind kind : allPartKinds) {
        Table table = partsTable(kind, tiles, largestParts(parts, kind, tiles));
        table.rows.resize(std::min(shownParts, table.rows.size()));
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace

Document insightsReport(const ProfileReader& reader, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return largestOf(reader, request.selection);
    Document document;
    for (const Insight& insight : findInsights(reader)) {
        Table table{std::string(toString(insight.kind)),
                    std::string(toString(insight.level)) + ": " + insight.title,
                    {{"label", "Evidence"}, {"value", "Value"}},
                    {}};
        for (const Evidence& e : insight.evidence)
            table.add({e.label, textOf(cellOf(e), e.unit)});
        if (!insight.advice.empty())
            table.title += "\n" + insight.advice;
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace tilescope
