// What the operations and scopes of a model's graph cost.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/model_graph/scope_tree.h"
#include "core/analysis/operations/operation_groups.h"
#include "core/store/profile_reader.h"

namespace tilescope {

/// Costs of an operation at one place of the model, or the sum over a scope.
struct GraphCosts {
    std::int64_t cycles = 0;         ///< estimated, slowest tile, one run at each place
    std::int64_t measuredCycles = 0; ///< of the trace, all runs
    double flops = 0;                ///< of one run
    double peakFlops = 0;            ///< that the machine could have done in `cycles`
    std::int64_t codeBytes = 0;      ///< vertex, exchange and control code, all tiles
    std::int64_t temporaryBytes = 0; ///< not always live, at the step at which most is, all tiles
    std::int64_t variableBytes = 0;  ///< variables and constants, all tiles
    /// flops / peakFlops, 0 to 1.
    [[nodiscard]] double utilisation() const { return peakFlops > 0 ? flops / peakFlops : 0; }
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
inline constexpr std::array graphMetrics{
    GraphMetric::MeasuredCycles, GraphMetric::Cycles, GraphMetric::Utilisation,
    GraphMetric::Flops,          GraphMetric::Code,   GraphMetric::Temporary,
    GraphMetric::Variables,
};
double valueOf(const GraphCosts& costs, GraphMetric metric);

using NodeCosts = IdVector<ModelNodeId, GraphCosts>;
using ScopeCosts = IdVector<GraphScopeId, GraphCosts>;

/// Not-always-live bytes of each operation's variables at the step at which most is live, over all
/// tiles.
std::vector<std::int64_t> bytesAtPeak(std::size_t operations,
                                      const IdVector<VariableId, Variable>& variables,
                                      const IdVector<LivenessClassId, LivenessClass>& classes,
                                      const LivenessCurve& curve);

/// Costs by node. `groups`: operationGroups() by operation; `temporary`: bytesAtPeak(). An
/// operation that runs at several places has its cycles and its work at each; its measured cycles
/// and its bytes, which are there once for all, are shared out evenly, so that sums are those of
/// the program. Codelets that operations share count for each of them.
NodeCosts nodeCosts(const ModelGraph& graph, const std::vector<OperationGroup>& groups,
                    const std::vector<std::int64_t>& temporary);

/// Sums over the operations of each scope.
ScopeCosts scopeCosts(const ScopeTree& tree, const NodeCosts& nodes);

} // namespace tilescope
