#include "simulator/pipeline/prepare.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/outline/outline.h"
#include "simulator/pipeline/buffers.h"
#include "simulator/pipeline/hints.h"
#include "simulator/pipeline/phases.h"
#include "simulator/pipeline/recompute.h"
#include "simulator/pipeline/schedule.h"
#include "simulator/pipeline/stages.h"
#include "simulator/planner/plan_table.h"
#include "simulator/training/optimizer.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::sim {
namespace {

/// What a balanced split weighs: the planner's estimate, else an elementwise pass over the result.
std::vector<double> operationCosts(const Graph& graph, const RunOptions& options) {
    const PlanTable plans(graph, options);
    std::vector<double> costs;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        if (isPlanned(op.attributes)) {
            costs.push_back(static_cast<double>(plans.planOf(OpId(i)).cost.cycles()));
            continue;
        }
        const Tensor& out = graph.tensors[op.outputs[0]];
        const std::int64_t each =
            (out.elements() + options.target.tilesPerIpu - 1) / options.target.tilesPerIpu;
        costs.push_back(isView(op.attributes) ? 0
                                              : static_cast<double>(elementwiseCycles(
                                                    options.target, ElementwiseFunction::Add,
                                                    Operands::Binary, false, out.type, each)));
    }
    return costs;
}

void assignStages(Graph& graph, const RunOptions& options) {
    const std::int32_t ipus = options.target.ipus;
    if (!options.split.empty()) {
        if (static_cast<std::int64_t>(options.split.size()) + 1 != ipus)
            throw UserError(fmt::format(
                "option split (--split): {} names make {} stages, but there are {} IPUs; give {} "
                "names or --ipus {}",
                options.split.size(), options.split.size() + 1, ipus, ipus - 1,
                options.split.size() + 1));
        splitAt(graph, options.split);
        return;
    }
    if (hasStageHints(graph)) {
        assignHintedStages(graph, ipus);
        return;
    }
    if (static_cast<std::int64_t>(graph.ops.size()) < ipus)
        throw UserError(fmt::format("option ipus (--ipus): the model has {0} operations, too few "
                                    "for {1} stages; choose --ipus {0} or fewer",
                                    graph.ops.size(), ipus));
    splitEvenly(graph, ipus, operationCosts(graph, options));
}

} // namespace

Graph preparedGraph(const Graph& graph, const RunOptions& options) {
    Graph result = graph;
    const bool several = options.target.ipus > 1;
    const bool phased = options.execution == Execution::Phased;
    PhasePlan phases;
    if (phased)
        phases = assignPhases(result, options, [&] { return operationCosts(result, options); });
    else if (several)
        assignStages(result, options);
    if (options.execution == Execution::Pipelined)
        for (const Op& op : result.ops)
            result.staged.push_back({op.name, op.stage});
    if (options.isTraining())
        result = trainingGraph(std::move(result), options);
    result = decomposed(result);
    if (options.isTraining())
        markRecomputed(result, options);
    if (phased)
        placePhases(result, phases, options);
    if (several)
        insertIpuCopies(result);
    if (options.execution == Execution::Pipelined) {
        const std::int64_t count =
            options.isTraining() ? options.gradientAccumulation : options.deviceIterations;
        checkMicroBatches(options.schedule, options.target.ipus, options.isTraining(), count);
        insertActivationBuffers(result, PipelineSchedule(options.schedule, options.target.ipus,
                                                         options.isTraining(), count));
    }
    return options.outline && !result.ownProgram ? outlined(result, options) : result;
}

} // namespace tilescope::sim
