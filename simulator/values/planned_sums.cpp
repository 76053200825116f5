#include "simulator/values/planned_sums.h"

#include <algorithm>
#include <limits>

#include "simulator/planner/plan_table.h"

namespace tilescope::sim {
namespace {

/// Terms that one output of an AMP unit sums in a pass over half operands: four phases of four
/// (PopLibs poplin/ConvVertexType.cpp, weightsPerConvUnit).
constexpr std::int64_t termsOfPass = 16;
/// Positions of the kernel that SLIC's window covers.
constexpr std::int64_t slicWindow = 4;

template <class Visit>
void eachHalfProduct(const Graph& prepared, const PlanningOptions& options, const Visit& visit) {
    const auto look = [&](const Graph& graph, FunctionIndex function) {
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            if (isPlanned(op.attributes) && graph.tensors[op.inputs[1]].type == DataType::Half &&
                problemOf(graph, op, options).partialType == DataType::Half)
                visit(graph, function, OpId(i));
        }
    };
    look(prepared, {});
    for (std::size_t f = 0; f < prepared.functions.size(); ++f)
        look(prepared.functions[f], FunctionIndex(f));
}

std::size_t kernelDimsOf(const Graph& graph, const Op& op) {
    return std::holds_alternative<MatMulAttributes>(op.attributes)
               ? 0
               : graph.tensors[op.outputs[0]].shape.size() - 2;
}

} // namespace

PartialSums sumsOf(const ConvPlan& plan, std::size_t kernelDims) {
    PartialSums sums;
    const ConvTransform& transform = plan.transform;
    sums.group = plan.grains.inChans;
    sums.serialParts = plan.splits.inChansSerial;
    // Channels of conv groups that are taken as one are zero for all but their own.
    const bool areCombined = transform.combinedGroups > 1;
    sums.channelParts = areCombined ? 1 : plan.splits.inChans;
    sums.kernelParts.assign(kernelDims, 1);
    for (std::size_t i = 0; i < transform.ownFieldDims.size() && kernelDims > 0; ++i) {
        const std::size_t field =
            i + (transform.batchFlattened && i >= transform.flattenedAt ? 1 : 0);
        sums.kernelParts[static_cast<std::size_t>(transform.ownFieldDims[i])] =
            plan.splits.kernel.at(field);
    }
    if (kernelDims > 0)
        sums.expanded = transform.expandedDims;
    switch (plan.method) {
    case ConvMethod::Amp:
        sums.passRows =
            std::max<std::int64_t>(1, termsOfPass / std::max<std::int64_t>(1, plan.grains.inChans));
        break;
    case ConvMethod::Slic:
        sums.passColumns = slicWindow;
        break;
    case ConvMethod::Vmac: // all of a tile's kernel positions in its accumulators
        sums.passRows = sums.passColumns = std::numeric_limits<std::int32_t>::max();
        break;
    default:
        break;
    }
    const std::int64_t parts = sums.channelParts * plan.splits.kernelParts();
    const ReductionDepths stages(parts);
    sums.stages.assign(stages.begin(), stages.end());
    return sums;
}

PartialSumsTable plannedSums(const Graph& prepared, const MachineOptions& machine,
                             const PlanningOptions& options) {
    PartialSumsTable table;
    eachHalfProduct(prepared, options, [&](const Graph&, FunctionIndex function, OpId id) {
        table[{function, id}];
    });
    if (table.empty())
        return table;
    const PlanTable plans(prepared, machine, options);
    for (auto& [place, sums] : table) {
        const Graph& graph =
            place.first.valid() ? prepared.functions[place.first.index()] : prepared;
        const Op& op = graph.ops[place.second];
        const ConvPlan& plan = plans.planOf(place.second, place.first);
        sums = sumsOf(plan, kernelDimsOf(graph, op));
    }
    return table;
}

} // namespace tilescope::sim
