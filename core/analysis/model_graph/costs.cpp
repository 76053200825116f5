#include "core/analysis/model_graph/costs.h"

namespace tilescope {

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

NodeCosts nodeCosts(const ModelGraph& graph, const std::vector<CostRow>& rows, ModelNodeId first) {
    NodeCosts costs;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        costs.add({});
    for (const CostRow& row : rows) {
        if (!row.node.valid() || first.index() + row.node.index() >= costs.size())
            continue;
        GraphCosts& cost = costs[ModelNodeId(first.index() + row.node.index())];
        cost += {row.cyclesOnce(),
                 row.measuredCycles,
                 row.executions > 0 ? row.flops : row.flopsOnce,
                 row.peakFlops,
                 row.memory.code(),
                 row.memory.atPeak,
                 row.memory.atPeak + row.memory.alwaysLive};
        cost.places = row.places;
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
