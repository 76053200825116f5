// The graphs of two profiles merged into one for comparison.
#pragma once

#include "core/analysis/model_graph/costs.h"
#include "core/analysis/model_graph/visible_graph.h"

namespace tilescope {

/// Where something is.
enum class Presence : std::uint8_t { Both, SourceOnly, TargetOnly };

/// All operations of both; `operation` is the source's, or the target's where only that has it.
struct MergedGraph {
    ModelGraph graph;
    std::vector<ModelEdge> edges;              ///< of both, sorted, each once
    IdVector<ModelNodeId, ModelNodeId> source; ///< by node; invalid where it has none
    IdVector<ModelNodeId, ModelNodeId> target;
    [[nodiscard]] Presence presence(ModelNodeId node) const {
        return !target[node].valid()   ? Presence::SourceOnly
               : !source[node].valid() ? Presence::TargetOnly
                                       : Presence::Both;
    }
};

/// Matches operations as a comparison does, see matchNodes(). Nodes keep the source's order; one
/// that only the target has follows the one before it there. Tensors match by name.
MergedGraph mergedGraph(const ModelGraph& source, const ModelGraph& target);

/// Costs of one of both by the nodes of the merged graph; zero for nodes that it lacks.
NodeCosts costsByMerged(const IdVector<ModelNodeId, ModelNodeId>& side, const NodeCosts& costs);

/// Of each scope: SourceOnly if everything in it is, and so on.
IdVector<GraphScopeId, Presence> scopePresence(const ScopeTree& tree, const MergedGraph& merged);

} // namespace tilescope
