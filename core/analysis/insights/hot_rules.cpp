// Where the time goes: operations, and cycles in which nothing is computed.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Below this share of the matrix units' peak an operation with FLOPs is worth a word.
constexpr double lowUtilisation = 0.1;

std::vector<const OperationGroup*> longest(const std::vector<OperationGroup>& groups) {
    std::vector<const OperationGroup*> found;
    for (const OperationGroup& group : groups)
        if (group.operation.valid() && group.measuredCycles > 0)
            found.push_back(&group);
    std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->measuredCycles > b->measuredCycles;
    });
    return found;
}

void adviseOn(const Facts& p, const OperationGroup& group, Insight& insight) {
    Adviser adviser(p.info());
    if (group.exchangeCycles > group.computeCycles) {
        insight.reason = fmt::format("'{}' moves data for longer than it computes.", group.name);
        adviser.raise("availableMemoryProportion", "lets the planner move less");
    } else if (group.utilisation > 0 && group.utilisation < lowUtilisation) {
        insight.reason = fmt::format("'{}' uses {} of what the matrix units can do.", group.name,
                                     formatPercent(group.utilisation, 1));
        adviser.raise("batchSize", "fills them better")
            .set("precision", "half", "has a higher peak");
    }
    insight.advice = adviser.advice();
}

std::vector<Insight> findLongestOperations(const Facts& p) {
    const std::vector<const OperationGroup*> found = longest(p.groups());
    if (!p.run() || found.empty())
        return {};
    const OperationGroup& first = *found.front();
    Insight insight;
    insight.cost = costOf(first.measuredCycles, *p.run());
    insight.title = fmt::format("'{}' takes most cycles: {} of the run", first.name,
                                formatPercent(insight.cost.share, 1));
    adviseOn(p, first, insight);
    insight.link.report = "operations";
    insight.link.operation = first.operation;
    for (std::size_t i = 0; i < std::min(shownRows, found.size()); ++i)
        insight.evidence.push_back(
            cyclesOf(found[i]->name, found[i]->measuredCycles, found[i]->operation));
    if (first.utilisation > 0)
        insight.evidence.push_back(
            shareOf(fmt::format("FLOP utilisation of '{}'", first.name), first.utilisation));
    if (first.balance > 0)
        insight.evidence.push_back(
            shareOf(fmt::format("tile balance of '{}'", first.name), first.balance));
    addProportion(p, first.operation, insight);
    return {insight};
}

constexpr std::array rules{
    Rule{InsightKind::Time, "longestOperations", findLongestOperations},
};

} // namespace

std::span<const Rule> hotRules() {
    return rules;
}

} // namespace tilescope
