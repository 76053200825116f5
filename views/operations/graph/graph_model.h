// The graphs of the open profiles with their costs, as the window shows them.
#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/model_graph/merged_graph.h"

namespace tilescope::views {

/// One profile's graph, or two as one. Made on a worker thread, then only read.
struct GraphModel {
    MergedGraph merged; ///< with inputs and outputs as nodes
    ScopeTree tree;
    NodeCosts source, target; ///< by node; target is empty if there is none
    ScopeCosts sourceSums, targetSums;
    IdVector<GraphScopeId, Presence> presence; ///< of scopes
    std::vector<std::int32_t> places;          ///< of each operation of the source
    bool comparing = false;
    bool executed = false; ///< in both, if there are two
    double clockHz = 0;    ///< of the source
    ModelNodeId first;     ///< node of the source with its ends that is the first of its own graph

    explicit GraphModel(MergedGraph graph, const GraphGrouping& grouping);

    [[nodiscard]] const ModelNode& node(const GraphItem& item) const {
        return merged.graph.nodes[item.node];
    }
    [[nodiscard]] const GraphCosts& sourceCosts(const GraphItem& item) const {
        return item.isScope() ? sourceSums[item.scope] : source[item.node];
    }
    /// Zero if there is no target.
    [[nodiscard]] GraphCosts targetCosts(const GraphItem& item) const;
    [[nodiscard]] Presence presenceOf(const GraphItem& item) const;
    /// The source's operation of a node; invalid for nothing, scopes, inputs, outputs and nodes
    /// that only the target has.
    [[nodiscard]] OperationId operationOf(const GraphItem& item) const;
    /// The node of the source's own graph, without inputs and outputs; none if it has none.
    [[nodiscard]] ModelNodeId recordedNode(const GraphItem& item) const;
    /// The first node of an operation of the source.
    [[nodiscard]] ModelNodeId nodeOf(OperationId operation) const;
    /// Nodes whose names contain the text, ignoring case, in their order.
    [[nodiscard]] std::vector<ModelNodeId> nodesNamed(const QString& text) const;
};

/// Why there is no graph to show.
struct MissingGraph {
    bool inTarget = false;
};

/// Null if a profile does not record its graph; `missing` then says which one.
std::shared_ptr<const GraphModel> readGraph(const ProfilePair& profiles, bool byPhase, bool byStage,
                                            MissingGraph& missing, const std::stop_token& stop);

} // namespace tilescope::views
