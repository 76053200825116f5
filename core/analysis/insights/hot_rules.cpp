// Where the time goes: operations, and cycles in which nothing is computed.
#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Operations with FLOPs below this share of the matrix units' peak are reported.
constexpr double lowUtilisation = 0.1;

// A place that takes this share of the run has a card of its own.
constexpr double hotShare = 0.05;
constexpr std::size_t mostCards = 5;

/// Places of operations, most cycles first.
std::vector<const CostRow*> longestPlaces(const Facts& p) {
    std::vector<const CostRow*> found;
    for (const CostRow& row : p.places())
        if (row.operation.valid() && row.measuredCycles > 0)
            found.push_back(&row);
    std::stable_sort(found.begin(), found.end(), [](const CostRow* a, const CostRow* b) {
        return a->measuredCycles > b->measuredCycles;
    });
    return found;
}

/// Convolutions, products and their gradients, recognised by their plan or their vertices;
/// everything else runs on the other units of a tile.
bool usesMatrixUnits(const Facts& p, const CostRow& row) {
    if (row.operation.index() < p.operations().size() &&
        !p.operations()[row.operation].plan.empty())
        return true;
    return std::any_of(row.steps.begin(), row.steps.end(), [&](const RowStep& step) {
        if (!step.program.valid() || step.program.index() >= p.programs().size())
            return false;
        const ComputeSetId set = p.programs()[step.program].computeSet;
        if (!set.valid() || set.index() >= p.computeSets().size())
            return false;
        const auto& vertices = p.computeSets()[set].vertices;
        return std::any_of(vertices.begin(), vertices.end(), [&](const auto& vertex) {
            return vertex.type.index() < p.vertexTypes().size() &&
                   p.vertexTypes()[vertex.type].name.starts_with("poplin::ConvPartial");
        });
    });
}

void adviseOn(const Facts& p, const CostRow& row, Insight& insight) {
    Adviser adviser(p.info());
    if (row.measured(CostKind::Exchange) > row.measured(CostKind::Compute)) {
        insight.reason = fmt::format("'{}' moves data for longer than it computes.", row.path);
        adviser.raise("availableMemoryProportion", "lets the planner move less");
    } else if (!p.info().has(ProfilePart::VertexCounts)) {
        return; // what computes is not known
    } else if (!usesMatrixUnits(p, row)) {
        insight.reason = fmt::format("'{}' does not use the matrix units: its cycles depend on the "
                                     "size of its tensors.",
                                     row.path);
        return;
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
    insight.link.things.operation = row.operation;
    insight.evidence = {
        cyclesOf("compute", row.measured(CostKind::Compute), row.operation),
        cyclesOf("exchange",
                 row.measured(CostKind::Exchange) + row.measured(CostKind::GlobalExchange),
                 row.operation),
        countOf("executions", row.executions)};
    if (row.utilisation() > 0 && usesMatrixUnits(p, row))
        insight.evidence.push_back(shareOf("FLOP utilisation", row.utilisation()));
    if (row.balance > 0)
        insight.evidence.push_back(shareOf("tile balance", row.balance));
    addProportion(p, row.operation, insight);
    return insight;
}

std::vector<Insight> findLongestOperations(const Facts& p) {
    if (!p.run())
        return {};
    const std::vector<const CostRow*> rows = longestPlaces(p);
    std::vector<Insight> insights;
    for (const CostRow* row : rows) {
        const bool own = p.run()->share(row->measuredCycles) >= hotShare || insights.empty();
        if (!own || insights.size() == mostCards)
            break;
        insights.push_back(insightOf(p, *row));
    }
    if (insights.empty())
        return {};
    // Compared with those after them, which have no card.
    for (std::size_t i = insights.size(); i < std::min(insights.size() + shownRows, rows.size());
         ++i)
        insights.back().evidence.push_back(cyclesOf(fmt::format("then: {}", rows[i]->path),
                                                    rows[i]->measuredCycles, rows[i]->operation));
    return insights;
}

} // namespace

std::vector<Rule> hotRules() {
    return {
        {InsightKind::Time, "longestOperations", findLongestOperations},
    };
}

} // namespace tilescope
