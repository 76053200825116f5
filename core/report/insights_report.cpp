#include <algorithm>
#include <map>

#include "core/report/item_tables.h"
#include "core/report/loss_table.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

// What takes up the memory of an IPU or a tile.
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

Cell remedyOf(const Loss& loss) {
    return loss.remedies.empty() ? Cell() : Cell(changeOf(loss.remedies.front()));
}

} // namespace

Table lossesTable(const std::vector<Loss>& losses, double clockHz) {
    Table table{"losses",
                "Where the cycles go, mean over the IPUs",
                {{"kind", "Lost to"},
                 {"share", "Of the run", Unit::Share},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"place", "Most of it"},
                 {"remedy", "To try"},
                 {"gain", "Predicted gain", Unit::Cycles}}};
    table.emptyText = "nothing ran";
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const Loss& loss = losses[i];
        if (loss.kind == LossKind::Memory) {
            table.add({std::string(nameOf(loss)) + ": " + formatBytes(loss.bytes),
                       {},
                       {},
                       loss.place,
                       remedyOf(loss),
                       {}},
                      static_cast<std::int32_t>(i));
            continue;
        }
        const std::int64_t gain = loss.remedies.empty() ? 0 : loss.remedies.front().gain;
        table.add({std::string(nameOf(loss)), loss.share, Duration{loss.cycles, clockHz},
                   textOrNone(loss.place), remedyOf(loss),
                   gain > 0 ? Cell(Duration{gain, clockHz}) : Cell()},
                  static_cast<std::int32_t>(i));
    }
    return table;
}

Document insightsReport(const ProfileView& profile, const ReportRequest& request) {
    if (request.selection != TileSelection::all())
        return largestOf(profile, request.selection);
    const Findings found = findAll(profile);
    Document document;
    document.tables.push_back(lossesTable(found.losses, 0));
    std::map<std::string, int> ofRule; // several of a rule have a key each: "hot", "hot2"
    for (const Insight& insight : found.insights) {
        const int number = ++ofRule[insight.rule];
        Table table{insight.rule + (number > 1 ? std::to_string(number) : std::string()),
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
