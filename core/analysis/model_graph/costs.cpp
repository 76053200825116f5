#include "core/analysis/model_graph/costs.h"

#include <algorithm>

namespace tilescope {
namespace {

/// The part of the n-th of `places` when `total` is shared out evenly: parts add up to the total.
std::int64_t part(std::int64_t total, std::int64_t places, std::int64_t n) {
    return total / places + (n < total % places ? 1 : 0);
}

} // namespace

GraphCosts& GraphCosts::operator+=(const GraphCosts& other) {
    cycles += other.cycles;
    measuredCycles += other.measuredCycles;
    flops += other.flops;
    peakFlops += other.peakFlops;
    codeBytes += other.codeBytes;
    temporaryBytes += other.temporaryBytes;
    variableBytes += other.variableBytes;
    return *this;
}

double valueOf(const GraphCosts& costs, GraphMetric metric) {
    switch (metric) {
    case GraphMetric::MeasuredCycles:
        return static_cast<double>(costs.measuredCycles);
    case GraphMetric::Cycles:
        return static_cast<double>(costs.cycles);
    case GraphMetric::Utilisation:
        return costs.utilisation();
    case GraphMetric::Flops:
        return costs.flops;
    case GraphMetric::Code:
        return static_cast<double>(costs.codeBytes);
    case GraphMetric::Temporary:
        return static_cast<double>(costs.temporaryBytes);
    case GraphMetric::Variables:
        break;
    }
    return static_cast<double>(costs.variableBytes);
}

std::vector<std::int64_t> bytesAtPeak(std::size_t operations,
                                      const IdVector<VariableId, Variable>& variables,
                                      const IdVector<LivenessClassId, LivenessClass>& classes,
                                      const LivenessCurve& curve) {
    std::vector<std::int64_t> bytes(operations);
    const auto& live = curve.notAlwaysLive;
    if (live.empty())
        return bytes;
    const StepId peak(
        static_cast<std::size_t>(std::max_element(live.begin(), live.end()) - live.begin()));
    std::vector<bool> isLive;
    for (const LivenessClass& one : classes)
        isLive.push_back(one.contains(peak));
    for (const Variable& variable : variables)
        if (!variable.alwaysLive && variable.liveness.valid() &&
            variable.liveness.index() < isLive.size() && isLive[variable.liveness.index()] &&
            variable.operation.valid() && variable.operation.index() < operations)
            bytes[variable.operation.index()] += variable.bytes.sum();
    return bytes;
}

NodeCosts nodeCosts(const ModelGraph& graph, const std::vector<OperationGroup>& groups,
                    const std::vector<std::int64_t>& temporary) {
    std::vector<const OperationGroup*> byOperation(temporary.size());
    for (const OperationGroup& group : groups)
        if (group.operation.valid() && group.operation.index() < byOperation.size())
            byOperation[group.operation.index()] = &group;
    std::vector<std::int64_t> places(temporary.size());
    for (const ModelNode& node : graph.nodes)
        if (node.operation.valid() && node.operation.index() < places.size())
            ++places[node.operation.index()];
    std::vector<std::int64_t> seen(temporary.size());
    NodeCosts costs;
    for (const ModelNode& node : graph.nodes) {
        GraphCosts& cost = costs[costs.add({})];
        if (!node.operation.valid() || node.operation.index() >= temporary.size())
            continue;
        const std::size_t at = node.operation.index();
        const std::int64_t nth = seen[at]++;
        cost.temporaryBytes = part(temporary[at], places[at], nth);
        if (byOperation[at] == nullptr)
            continue;
        const OperationGroup& group = *byOperation[at];
        cost.cycles = group.cycles();
        cost.flops = group.flops;
        cost.peakFlops = group.peakFlops;
        cost.measuredCycles = part(group.measuredCycles, places[at], nth);
        cost.codeBytes = part(group.code(), places[at], nth);
        cost.variableBytes = part(group.variableBytes, places[at], nth);
    }
    return costs;
}

ScopeCosts scopeCosts(const ScopeTree& tree, const NodeCosts& nodes) {
    ScopeCosts sums;
    for (std::size_t i = 0; i < tree.scopes().size(); ++i)
        sums.add({});
    for (std::size_t i = 0; i < nodes.size(); ++i)
        sums[tree.parentOf(GraphItem::of(ModelNodeId(i)))] += nodes[ModelNodeId(i)];
    for (std::size_t i = sums.size(); i-- > 1;)
        sums[tree[GraphScopeId(i)].parent] += sums[GraphScopeId(i)];
    return sums;
}

} // namespace tilescope
