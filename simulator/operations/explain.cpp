#include "simulator/operations/explain.h"

#include "simulator/planner/plan_table.h"
#include "simulator/planner/planner.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::sim {
namespace {

bool samePlan(const ConvPlan& a, const ConvPlan& b) {
    return a.method == b.method && a.convUnits == b.convUnits && a.grains == b.grains &&
           a.splits == b.splits && a.transform == b.transform && a.problem == b.problem;
}

} // namespace

std::vector<ExplainedOperation> explainOperations(const Graph& graph, const RunOptions& options,
                                                  std::size_t most) {
    const Graph simple = decomposed(graph);
    const PlanTable table(simple, options);
    std::vector<ExplainedOperation> explained;
    for (std::size_t i = 0; i < simple.ops.size(); ++i) {
        const Op& op = simple.ops[OpId(i)];
        if (!isPlanned(op.attributes))
            continue;
        ExplainedOperation& one = explained.emplace_back();
        one.name = op.name;
        one.availableMemoryProportion = proportionOf(simple, op, options);
        const ConvPlan& chosen = table.planOf(OpId(i));
        for (ConvPlan& plan : bestPlansByMethod(options.target, problemOf(simple, op, options),
                                                one.availableMemoryProportion, most)) {
            const bool same = samePlan(plan, chosen);
            one.plans.push_back({std::move(plan), same});
        }
    }
    return explained;
}

} // namespace tilescope::sim
