#include "simulator/pipeline/phases.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/options/option_error.h"
#include "simulator/offload/remote.h"
#include "simulator/outline/sequence.h"
#include "simulator/pipeline/hints.h"
#include "simulator/pipeline/stages.h"

namespace tilescope::sim {
namespace {

void checkCount(const Graph& graph, std::int32_t phases) {
    const auto operations = static_cast<std::int64_t>(graph.ops.size());
    if (phases > operations)
        throw OptionError("phases", fmt::format("the model has {} operations, too "
                                                "few for {} phases; choose --phases {} or fewer",
                                                operations, phases, operations));
}

std::int32_t assignNamed(Graph& graph, const ExecutionOptions& options) {
    const auto phases = static_cast<std::int32_t>(options.split.size()) + 1;
    if (options.phases > 0 && options.phases != phases)
        throw OptionError("phases", fmt::format("--split names {} phases, not {}; "
                                                "leave --phases out",
                                                phases, options.phases));
    splitAt(graph, options.split);
    return phases;
}

std::int32_t assignHinted(Graph& graph, const ExecutionOptions& options) {
    std::int32_t phases = options.phases;
    for (const Op& op : graph.ops)
        if (options.phases == 0)
            phases = std::max(phases, op.phaseHint + 1);
    assignHintedPhases(graph, phases);
    return phases;
}

/// A variable that is overwritten is on the IPU that reads it first: what overwrites it in the same
/// phase goes there.
void keepVariablesTogether(Graph& graph, const PhasePlan& plan) {
    std::map<TensorId, std::int32_t> readers;
    for (Op& op : graph.ops)
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            if (graph.tensors[op.inputs[i]].role != TensorRole::Weight)
                continue;
            const std::int32_t reader = readers.try_emplace(op.inputs[i], op.stage).first->second;
            if (i == 0 && overwritesOperand(op) &&
                plan.phaseOfPart(reader) == plan.phaseOfPart(op.stage))
                op.stage = reader;
        }
}

/// The operations of each phase over the IPUs that share it.
void cutPhases(Graph& graph, const PhasePlan& plan, const std::vector<double>& costs) {
    for (std::size_t first = 0; first < graph.ops.size();) {
        const std::int32_t phase = graph.ops[OpId(first)].stage;
        std::size_t end = first;
        while (end < graph.ops.size() && graph.ops[OpId(end)].stage == phase)
            ++end;
        const std::vector<std::int32_t> parts =
            evenParts({costs.begin() + static_cast<std::ptrdiff_t>(first),
                       costs.begin() + static_cast<std::ptrdiff_t>(end)},
                      plan.ipusOfPhase);
        for (std::size_t i = first; i < end; ++i)
            graph.ops[OpId(i)].stage = phase * plan.ipusOfPhase + parts[i - first];
        first = end;
    }
    keepVariablesTogether(graph, plan);
}

/// Everything that is trained or updated, and waits off the chip for its phase.
std::vector<RemoteTensor> tensorsOffChip(const Graph& graph) {
    std::vector<RemoteTensor> tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& t = graph.tensors[TensorId(i)];
        if (t.role == TensorRole::Weight && t.elements() >= leastElementsOffChip)
            // popart ExecutionPhaseSettings: optimizer state on demand, everything else preloaded.
            tensors.push_back({TensorId(i), t.state == StateKind::Moment ? LoadTime::OnDemand
                                                                         : LoadTime::Preload});
    }
    return tensors;
}

} // namespace

PhasePlan assignPhases(Graph& graph, const ExecutionOptions& options, std::int32_t ipus,
                       const std::function<std::vector<double>()>& costs) {
    PhasePlan plan;
    plan.stages = options.phaseStagesInForce(ipus);
    plan.ipusOfPhase = ipus / plan.stages;
    const bool hinted = std::any_of(graph.ops.begin(), graph.ops.end(),
                                    [](const Op& op) { return op.phaseHint >= 0; });
    if (!options.split.empty()) {
        plan.phases = assignNamed(graph, options);
    } else if (hinted) {
        plan.phases = assignHinted(graph, options);
    } else if (options.phases > 0) {
        plan.phases = options.phases;
        checkCount(graph, plan.phases);
        splitEvenly(graph, plan.phases, costs());
    } else {
        throw OptionError("execution",
                          "'phased' needs phases; give their number by --phases N, "
                          "name where they begin by --split NAME,NAME, or annotate ONNX nodes with "
                          "__execution_phase");
    }
    if (plan.ipusOfPhase > 1)
        cutPhases(graph, plan, costs());
    // Until they are placed, parts share nothing: tensors used by two of them are loaded again.
    for (std::int32_t part = 0; part < plan.phases * plan.ipusOfPhase; ++part)
        graph.stageIpus.emplace_back(part);
    return plan;
}

void placePhases(Graph& graph, const PhasePlan& plan, PhaseSchedule schedule, std::int32_t ipus) {
    for (Op& op : graph.ops) {
        const std::int32_t phase = plan.phaseOfPart(op.stage);
        op.executionPhase = op.pass == Pass::Forward    ? phase
                            : op.pass == Pass::Backward ? plan.backwardOf(phase)
                                                        : 2 * plan.phases - 1;
        op.stage = plan.ipuOfPart(op.stage);
    }
    graph.stageIpus.clear();
    for (std::int32_t ipu = 0; ipu < ipus; ++ipu)
        graph.stageIpus.emplace_back(ipu);
    std::vector<Op> ops(graph.ops.begin(), graph.ops.end());
    std::stable_sort(ops.begin(), ops.end(),
                     [](const Op& a, const Op& b) { return a.executionPhase < b.executionPhase; });
    graph.ops = {};
    for (Op& op : ops)
        graph.ops.add(std::move(op));
    insertRemoteCopies(graph, tensorsOffChip(graph),
                       {plan.stages, schedule == PhaseSchedule::Batch});
}

} // namespace tilescope::sim
