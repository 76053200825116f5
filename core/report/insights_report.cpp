#include <algorithm>

#include "core/report/item_tables.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

// What takes the memory of an IPU or a tile.
Document largestOf(const ProfileView& profile, const TileSelection& tiles) {
    constexpr std::size_t shownParts = 5; // of each kind
    Document document;
    for (const PartKind kind : allPartKinds) {
        Table table = partsTable(kind, tiles, largestParts(profile, kind, tiles));
        table.rows.resize(std::min(shownParts, table.rows.size()));
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace

Document insightsReport(const ProfileView& profile, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return largestOf(profile, request.selection);
    Document document;
    for (const Insight& insight : findInsights(profile)) {
        Table table{insight.rule,
                    std::string(toString(insight.level)) + ": " + insight.title,
                    {{"label", "Evidence"}, {"value", "Value"}}};
        table.add({std::string("Cost"), formatCost(insight.cost)});
        for (const Evidence& e : insight.evidence)
            table.add({e.label, textOf(cellOf(e), e.unit)});
        if (const std::string advice = adviceText(insight); !advice.empty())
            table.title += "\n" + advice;
        document.tables.push_back(std::move(table));
    }
    return document;
}

} // namespace tilescope
