// What the operations and scopes of a model's graph cost.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/model_graph/scope_tree.h"
#include "core/base/enum_names.h"

namespace tilescope {

/// Costs of an operation at one place of the model, or the sum over a scope. On several IPUs sums
/// are over all of them.
struct GraphCosts {
    std::int64_t cycles = 0;         ///< estimated, slowest tile, one run at each place
    std::int64_t measuredCycles = 0; ///< of the accounting's run
    double flops = 0;                ///< of all executions in the run; of one where nothing ran
    double peakFlops = 0;            ///< peak of the machine in these cycles
    /// Vertex, exchange and control code, all tiles; none where a function's places share it.
    std::int64_t codeBytes = 0;
    std::int64_t temporaryBytes = 0; ///< not always live, at the step with the most live bytes, all
                                     ///< tiles
    std::int64_t variableBytes = 0;  ///< the same plus always-live bytes
    std::int32_t places = 1;         ///< that share the operation's program; 1 for a scope
    /// flops / peakFlops, 0 to 1.
    [[nodiscard]] double utilisation() const { return peakFlops > 0 ? flops / peakFlops : 0; }
    /// Adds the figures of another place.
    GraphCosts& operator+=(const GraphCosts& other);
    friend bool operator==(const GraphCosts&, const GraphCosts&) = default;
};

/// What a graph can be coloured by.
enum class GraphMetric : std::uint8_t {
    MeasuredCycles,
    Cycles,
    Utilisation,
    Flops,
    Code,
    Temporary,
    Variables,
};
inline constexpr auto graphMetrics = valuesUpTo<GraphMetric::Variables>;
double valueOf(const GraphCosts& costs, GraphMetric metric);

using NodeCosts = IdVector<ModelNodeId, GraphCosts>;
using ScopeCosts = IdVector<GraphScopeId, GraphCosts>;

/// Costs by node of a graph, from costRows() by place: the sum of its rows on all IPUs. `first`:
/// the graph's node that is the profile's first, as inputs may be nodes too (see withEnds()).
NodeCosts nodeCosts(const ModelGraph& graph, const std::vector<CostRow>& rows,
                    ModelNodeId first = ModelNodeId(0));

/// Sums over the operations of each scope.
ScopeCosts scopeCosts(const ScopeTree& tree, const NodeCosts& nodes);

} // namespace tilescope
