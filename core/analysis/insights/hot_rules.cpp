// Where the time goes: operations, and cycles in which nothing is computed.
#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Below this share of the matrix units' peak an operation with FLOPs is worth a word.
constexpr double lowUtilisation = 0.1;

// A place that takes this share of the run has a card of its own.
constexpr double hotShare = 0.05;
constexpr std::size_t mostCards = 5;

/// Places of operations, most cycles first.
std::vector<CostRow> longestPlaces(const Facts& p) {
    std::vector<CostRow> found = p.places();
    std::erase_if(found, [](const CostRow& row) {
        return !row.operation.valid() || row.measuredCycles <= 0;
    });
    std::stable_sort(found.begin(), found.end(), [](const CostRow& a, const CostRow& b) {
        return a.measuredCycles > b.measuredCycles;
    });
    return found;
}

void adviseOn(const Facts& p, const CostRow& row, Insight& insight) {
    Adviser adviser(p.info());
    if (row.measured(CostKind::Exchange) > row.measured(CostKind::Compute)) {
        insight.reason = fmt::format("'{}' moves data for longer than it computes.", row.path);
        adviser.raise("availableMemoryProportion", "lets the planner move less");
    } else if (row.utilisation() > 0 && row.utilisation() < lowUtilisation) {
        insight.reason = fmt::format("'{}' uses {} of what the matrix units can do.", row.path,
                                     formatPercent(row.utilisation(), 1));
        insight.advice =
            remediesFor(p, LossKind::Utilisation, row.measured(CostKind::Compute)).advice;
        return;
    }
    insight.advice = adviser.advice();
}

Insight insightOf(const Facts& p, const CostRow& row) {
    Insight insight;
    insight.cost = costOf(row.measuredCycles, *p.run());
    insight.title =
        fmt::format("'{}' takes {} of the run", row.path, formatPercent(insight.cost.share, 1));
    adviseOn(p, row, insight);
    insight.link.report = "operations";
    insight.link.operation = row.operation;
    insight.evidence = {
        cyclesOf("compute", row.measured(CostKind::Compute), row.operation),
        cyclesOf("exchange",
                 row.measured(CostKind::Exchange) + row.measured(CostKind::GlobalExchange),
                 row.operation),
        countOf("executions", row.executions)};
    if (row.utilisation() > 0)
        insight.evidence.push_back(shareOf("FLOP utilisation", row.utilisation()));
    if (row.balance > 0)
        insight.evidence.push_back(shareOf("tile balance", row.balance));
    addProportion(p, row.operation, insight);
    return insight;
}

std::vector<Insight> findLongestOperations(const Facts& p) {
    if (!p.run())
        return {};
    const std::vector<CostRow> rows = longestPlaces(p);
    std::vector<Insight> insights;
    for (const CostRow& row : rows) {
        const bool own = p.run()->share(row.measuredCycles) >= hotShare || insights.empty();
        if (!own || insights.size() == mostCards)
            break;
        insights.push_back(insightOf(p, row));
    }
    if (insights.empty())
        return {};
    // The longest is compared with those after it.
    for (std::size_t i = 1; i < std::min(shownRows, rows.size()); ++i)
        insights.front().evidence.push_back(cyclesOf(fmt::format("then: {}", rows[i].path),
                                                     rows[i].measuredCycles, rows[i].operation));
    return insights;
}

} // namespace

std::vector<Rule> hotRules() {
    return {
        {InsightKind::Time, "longestOperations", findLongestOperations},
    };
}

} // namespace tilescope
