#include "simulator/prepare/prepare.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/ceil_div.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/base/units.h"
#include "core/options/option_error.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/model_record.h"
#include "simulator/graph/source_places.h"
#include "simulator/offload/remote.h"
#include "simulator/outline/multi_convs.h"
#include "simulator/outline/outline.h"
#include "simulator/pipeline/buffers.h"
#include "simulator/pipeline/hints.h"
#include "simulator/pipeline/inter_ipu_copies.h"
#include "simulator/pipeline/phases.h"
#include "simulator/pipeline/recompute.h"
#include "simulator/pipeline/stages.h"
#include "simulator/planner/plan_table.h"
#include "simulator/recurrent/cell.h"
#include "simulator/schedule/pipeline_schedule.h"
#include "simulator/training/autodiff.h"
#include "simulator/training/optimizer.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::sim {
namespace {

/// Cost of all steps of a loop: that of the products, which dominate.
double loopCost(const Graph& graph, const LoopAttributes& loop, const PlanTable& plans) {
    const FunctionIndex function(static_cast<std::size_t>(loop.function));
    const Graph& body = graph.functions.at(function.index());
    double cost = 0;
    for (std::size_t i = 0; i < body.ops.size(); ++i)
        if (isPlanned(body.ops[OpId(i)].attributes))
            cost += static_cast<double>(plans.planOf(OpId(i), function).cost.cycles());
    return cost * static_cast<double>(loop.steps);
}

/// Costs for a balanced split: the planner's estimate, else an elementwise pass over the result.
std::vector<double> operationCosts(const Graph& graph, const RunOptions& options) {
    const PlanTable plans(graph, options.machine, options.planning);
    std::vector<double> costs;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        if (isPlanned(op.attributes)) {
            costs.push_back(static_cast<double>(plans.planOf(OpId(i)).cost.cycles()));
            continue;
        }
        if (const auto* loop = std::get_if<LoopAttributes>(&op.attributes)) {
            costs.push_back(loopCost(graph, *loop, plans));
            continue;
        }
        const Tensor& out = graph.tensors[op.outputs[0]];
        const std::int64_t each = ceilDiv(out.elements(), options.machine.target.tilesPerIpu);
        costs.push_back(isView(op.attributes)
                            ? 0
                            : static_cast<double>(elementwiseCycles(
                                  options.machine.target, ElementwiseFunction::Add,
                                  Operands::Binary, false, out.type, each)));
    }
    return costs;
}

/// True if a pipeline can have that many stages, one of them on another's IPU.
bool allowsStages(std::int32_t stages, const RunOptions& options) {
    if (!options.execution.isPipelined())
        return true;
    if (options.execution.schedule == Schedule::Interleaved)
        return false;
    const MicroBatchRule rule = microBatchRule(options.execution.schedule, stages,
                                               options.isTraining(), hostTransfersOf(options.host));
    const std::int64_t count = options.batch.microBatchesOfPipeline();
    return count >= rule.least && count % rule.multipleOf == 0;
}

/// Balances the stages anew with a tail that shares a weight with the first as a further stage on
/// its IPU, so that the weight is not copied for each micro-batch.
void returnToSharedWeight(Graph& graph, const RunOptions& options,
                          const std::vector<double>& costs) {
    const std::int32_t stages = graph.stages();
    const std::optional<SharedTail> tail = sharedTail(graph);
    if (!tail || !allowsStages(stages + 1, options) ||
        tail->first < tail->reader + static_cast<std::size_t>(stages))
        return;
    const auto end = costs.begin() + static_cast<std::ptrdiff_t>(tail->first);
    std::vector<double> before(costs.begin(), end);
    before.front() += std::accumulate(end, costs.end(), 0.0);
    // Operations up to the weight's first reader stay together in the first stage.
    for (std::size_t i = 1; i <= tail->reader; ++i)
        before.front() += std::exchange(before[i], 0.0);
    splitEvenly(graph, stages, before);
    followReaders(graph);
    for (std::size_t i = tail->first; i < graph.ops.size(); ++i)
        graph.ops[OpId(i)].stage = stages;
    graph.stageIpus.push_back(graph.ipuOf(0));
    std::vector<std::int32_t> ipus;
    for (const IpuId ipu : graph.stageIpus)
        ipus.push_back(ipu.value());
    const Tensor& weight = graph.tensors[tail->weight];
    graph.messages.push_back(
        {Severity::Info,
         fmt::format("stages are balanced with one more from '{}' on, which runs on IPU {} where "
                     "its weight '{}' ({}) is, as --device-mapping {} would have it",
                     graph.ops[OpId(tail->first)].name, ipus.front(), weight.name,
                     formatBytes(weight.bytes()), fmt::join(ipus, ","))});
}

void assignStages(Graph& graph, const RunOptions& options) {
    const std::int32_t ipus = options.machine.target.ipus;
    if (options.execution.split.empty() && hasStageHints(graph)) {
        assignHintedStages(graph, ipus, options.execution.deviceMapping);
        return;
    }
    if (options.execution.deviceMapping.empty())
        for (std::int32_t ipu = 0; ipu < ipus; ++ipu)
            graph.stageIpus.emplace_back(ipu);
    else
        for (const std::int32_t ipu : options.execution.deviceMapping)
            graph.stageIpus.emplace_back(ipu);
    if (!options.execution.split.empty()) {
        if (static_cast<std::int64_t>(options.execution.split.size()) + 1 != graph.stages())
            throw OptionError(
                "split",
                fmt::format(
                    "{0} names make {1} stages, but there are {2} IPUs; give "
                    "{3} names or --ipus {1}, or say by --device-mapping which IPU runs each stage",
                    options.execution.split.size(), options.execution.split.size() + 1, ipus,
                    ipus - 1));
        splitAt(graph, options.execution.split);
        return;
    }
    if (static_cast<std::int64_t>(graph.ops.size()) < graph.stages())
        throw OptionError("ipus", fmt::format("the model has {0} operations, too few "
                                              "for {1} stages; choose --ipus {0} or fewer",
                                              graph.ops.size(), graph.stages()));
    moveBeforeReaders(graph);
    const std::vector<double> costs = operationCosts(graph, options);
    splitEvenly(graph, graph.stages(), costs);
    followReaders(graph);
    if (options.execution.deviceMapping.empty())
        returnToSharedWeight(graph, options, costs);
}

/// The schedule of a pipeline; throws UserError where there is none.
PipelineSchedule checkedSchedule(const Graph& graph, const RunOptions& options) {
    const Schedule schedule = options.execution.schedule;
    checkMicroBatches(schedule, graph.stages(), options.isTraining(),
                      options.batch.microBatchesOfPipeline(), hostTransfersOf(options.host));
    checkDeviceMapping(schedule, graph.stageIpus, options.isTraining());
    return scheduleOf(options.batch, options.execution, options.host, graph.stages());
}

/// The host feeds a framework's model; a user's own program names its streams itself.
void checkFeeding(const Graph& graph, const RunOptions& options) {
    const auto refuse = [&](bool given, const char* option) {
        if (given && graph.ownProgram)
            throw OptionError(option, fmt::format("'{}' is a list of operations, whose variables "
                                                  "stay on the device; leave the option out",
                                                  graph.name));
    };
    refuse(options.machine.ioTiles > 0, "ioTiles");
    refuse(options.host.prefetchDepth > 1, "prefetchDepth");
    refuse(options.host.inputType != InputType::AsModel, "inputType");
    refuse(options.host.hostRate > 0, "hostRate");
}

/// Operations that draw random numbers get sequences of their own, before others copy them.
void numberRandomStreams(Graph& graph) {
    std::int32_t next = 0;
    for (Op& op : graph.ops) {
        const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes);
        if (elementwise && traitsOf(elementwise->function).isRandom)
            op.randomStreams = {next++};
    }
}

/// The state that the passes hand on.
struct Preparation {
    const RunOptions& options;
    Graph graph;
    PhasePlan phases = {};
    std::optional<PipelineSchedule> schedule = {}; ///< of a pipeline

    [[nodiscard]] bool isPhased() const { return options.execution.isPhased(); }
    [[nodiscard]] bool isPipelined() const { return options.execution.isPipelined(); }
    [[nodiscard]] std::int32_t ipus() const { return options.machine.target.ipus; }
    [[nodiscard]] bool hasSeveralIpus() const {
        return ipus() > 1 || options.execution.deviceMapping.size() > 1;
    }
    [[nodiscard]] bool hasStages() const { return !isPhased() && hasSeveralIpus(); }
};

struct PreparationPass {
    const char* name;
    bool (*applies)(const Preparation&);
    void (*run)(Preparation&);
    bool optional = false; ///< what follows does without it
};

/// In this order. Stages come before the input's type, so that names in --split still begin theirs.
const std::vector<PreparationPass>& preparationPasses() {
    using P = Preparation;
    const auto always = [](const P&) { return true; };
    const auto inTraining = [](const P& p) { return p.options.isTraining(); };
    static const std::vector<PreparationPass> passes{
        {"random numbers", always, [](P& p) { numberRandomStreams(p.graph); }},
        {"assign phases", [](const P& p) { return p.isPhased(); },
         [](P& p) {
             p.phases = assignPhases(p.graph, p.options.execution, p.ipus(),
                                     [&] { return operationCosts(p.graph, p.options); });
         }},
        {"assign stages", [](const P& p) { return p.hasStages(); },
         [](P& p) {
             assignStages(p.graph, p.options);
             if (p.options.execution.schedule == Schedule::PopArt)
                 mergeNeighbours(p.graph);
             noteSharedWeights(p.graph, p.options.machine.target, p.options.execution.schedule,
                               p.options.isTraining());
         }},
        {"type of the input", always,
         [](P& p) { p.graph = withInputType(std::move(p.graph), p.options.host.inputType); }},
        {"schedule", [](const P& p) { return p.isPipelined(); },
         [](P& p) {
             for (const Op& op : p.graph.ops)
                 p.graph.staged.push_back({op.name, op.stage});
             p.schedule = checkedSchedule(p.graph, p.options);
         }},
        {"statistics of replicas",
         [](const P& p) {
             return p.options.isTraining() && p.options.replication.replicas > 1 &&
                    p.options.replication.distributedBatchNormReplicaGroupSize > 1;
         },
         [](P& p) {
             shareBatchStatistics(p.graph,
                                  p.options.replication.distributedBatchNormReplicaGroupSize);
         },
         true},
        {"training", inTraining,
         [](P& p) { p.graph = trainingGraph(std::move(p.graph), p.options); }},
        {"decompose", always, [](P& p) { p.graph = decomposed(p.graph); }},
        {"recomputation", inTraining,
         [](P& p) { markRecomputed(p.graph, p.options.memory, p.isPipelined()); }, true},
        {"place phases", [](const P& p) { return p.isPhased(); },
         [](P& p) { placePhases(p.graph, p.phases, p.options.execution.phaseSchedule, p.ipus()); }},
        {"off-chip", [](const P& p) { return !p.isPhased(); },
         [](P& p) { moveOffChip(p.graph, p.options.memory); }, true},
        {"inter-IPU copies", [](const P& p) { return p.hasSeveralIpus(); },
         [](P& p) { insertInterIpuCopies(p.graph, p.schedule ? &*p.schedule : nullptr); }},
        {"activation buffers", [](const P& p) { return p.schedule.has_value(); },
         [](P& p) { insertActivationBuffers(p.graph, *p.schedule); }},
        {"activation stores",
         [](const P& p) { return !p.schedule && p.options.memory.isOffChip(OffChip::Activations); },
         [](P& p) { insertActivationStores(p.graph); }},
        {"convolutions together", always, [](P& p) { gatherMultiConvs(p.graph); }, true},
        {"bodies of loops", always, [](P& p) { describeLoopBodies(p.graph); }},
        {"record of the model", always,
         [](P& p) {
             followSources(p.graph);
             p.graph.model = recordedModel(p.graph);
         },
         true},
        {"outline", [](const P& p) { return p.options.outline.enabled && !p.graph.ownProgram; },
         [](P& p) { p.graph = outlined(p.graph, p.options.outline, p.options.planning); }, true},
    };
    return passes;
}

/// Passes add names such as "Loss/reduce", which an operation of the model may already have.
void makeNamesUnique(Graph& graph) {
    std::unordered_set<std::string> names;
    for (Op& op : graph.ops) {
        const std::string wanted = op.name;
        for (int i = 1; !names.insert(op.name).second; ++i)
            op.name = fmt::format("{}_{}", wanted, i);
    }
}

/// Debug builds check the graph after each pass, so that a mistake shows where it was made.
void checkAfter([[maybe_unused]] const PreparationPass& pass, [[maybe_unused]] const Graph& graph) {
#ifndef NDEBUG
    try {
        checkGraph(graph);
    } catch (const InternalError& error) {
        throw InternalError(fmt::format("after the pass '{}': {}", pass.name, error.what()));
    }
#endif
}

bool isOff(const PassControl& passes, std::string_view name) {
    return std::find(passes.off.begin(), passes.off.end(), name) != passes.off.end();
}

void checkPasses(const PassControl& passes) {
    const std::vector<std::string_view> optional = optionalPasses();
    for (const std::string& name : passes.off)
        if (std::find(optional.begin(), optional.end(), name) == optional.end())
            throw UserError(fmt::format("'{}' is not a pass that can be left out; these can: {}",
                                        shortened(name), fmt::join(optional, ", ")));
}

} // namespace

bool plansDecideStages(const RunOptions& options) {
    const Preparation preparation{options, {}};
    return preparation.isPhased() || (preparation.hasStages() && options.execution.split.empty());
}

std::vector<std::string_view> optionalPasses() {
    std::vector<std::string_view> names;
    for (const PreparationPass& pass : preparationPasses())
        if (pass.optional)
            names.emplace_back(pass.name);
    return names;
}

Graph preparedGraph(const Graph& graph, const RunOptions& options, const PassControl& passes) {
    checkFeeding(graph, options);
    checkPasses(passes);
    Preparation preparation{options, graph};
    for (const PreparationPass& pass : preparationPasses()) {
        if (!pass.applies(preparation) || isOff(passes, pass.name))
            continue;
        const auto start = std::chrono::steady_clock::now();
        pass.run(preparation);
        makeNamesUnique(preparation.graph);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        checkAfter(pass, preparation.graph);
        if (passes.after)
            passes.after({pass.name, taken.count(), preparation.graph});
    }
    return std::move(preparation.graph);
}

} // namespace tilescope::sim
