// Where the time goes: operations, and cycles in which nothing is computed.
#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

constexpr std::size_t shown = 5;
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

std::string adviceFor(const OperationGroup& group) {
    if (group.exchangeCycles > group.computeCycles)
        return fmt::format("'{}' moves data for longer than it computes: a higher "
                           "--available-memory-proportion lets the planner move less.",
                           group.name);
    if (group.utilisation > 0 && group.utilisation < lowUtilisation)
        return fmt::format("'{}' uses {} of what the matrix units can do: a larger --batch-size "
                           "fills them better, and --precision half has a higher peak.",
                           group.name, formatPercent(group.utilisation, 1));
    return {};
}

} // namespace

void addHotInsights(const InsightParts& p, const std::vector<OperationGroup>& groups,
                    std::vector<Insight>& insights) {
    const std::vector<const OperationGroup*> found = longest(groups);
    if (!p.info.hasExecution || found.empty())
        return;
    std::int64_t all = 0;
    for (const OperationGroup* group : found)
        all += group->measuredCycles;
    const OperationGroup& first = *found.front();
    Insight insight;
    insight.kind = InsightKind::LongestOperations;
    insight.title = fmt::format(
        "'{}' takes most cycles: {} of those of all operations", first.name,
        formatPercent(static_cast<double>(first.measuredCycles), static_cast<double>(all)));
    insight.advice = adviceFor(first);
    insight.link.report = "operations";
    insight.link.operation = first.operation;
    for (std::size_t i = 0; i < std::min(shown, found.size()); ++i)
        insight.evidence.push_back(
            cyclesOf(found[i]->name, found[i]->measuredCycles, found[i]->operation));
    if (first.utilisation > 0)
        insight.evidence.push_back(
            shareOf(fmt::format("FLOP utilisation of '{}'", first.name), first.utilisation));
    if (first.balance > 0)
        insight.evidence.push_back(
            shareOf(fmt::format("tile balance of '{}'", first.name), first.balance));
    addProportion(p, first.operation, insight);
    insights.push_back(std::move(insight));
}

} // namespace tilescope
