// The visible part of a model's graph while some scopes are collapsed.
#pragma once

#include <cstddef>
#include <vector>

#include "core/analysis/model_graph/scope_tree.h"

namespace tilescope {

/// Which scopes are expanded. The root always is; a scope in a collapsed one keeps its state.
class Expansion {
public:
    explicit Expansion(const ScopeTree& tree);
    [[nodiscard]] bool isExpanded(GraphScopeId scope) const { return expanded_.at(scope.index()); }
    void set(GraphScopeId scope, bool expanded);
    void setAll(bool expanded);
    /// Expands all scopes around an item.
    void reveal(const ScopeTree& tree, const GraphItem& item);
    friend bool operator==(const Expansion&, const Expansion&) = default;

private:
    std::vector<bool> expanded_; ///< by scope
};

/// Scopes expanded level by level as long as no more than `most` boxes show. A level that does not
/// fit is expanded in part where little would show otherwise.
Expansion startingExpansion(const ScopeTree& tree, std::size_t most = 40);

/// Tensors that one operation makes and another reads later.
struct ModelEdge {
    ModelNodeId from, to;
    ModelTensorId tensor;
    friend auto operator<=>(const ModelEdge&, const ModelEdge&) = default;
};
/// The graph with a node of type "Input" for each tensor that the host sends and one of type
/// "Output" for each result, named after the tensor.
ModelGraph withEnds(const ModelGraph& graph);
/// The node of withEnds() that is the first of the graph it was made from.
ModelNodeId firstInside(const ModelGraph& graph);

/// Sorted, each once.
std::vector<ModelEdge> modelEdges(const ModelGraph& graph);

/// All edges between the operations of two items.
struct VisibleEdge {
    std::size_t from = 0, to = 0;     ///< in VisibleGraph::items
    std::vector<std::size_t> members; ///< in the list of edges it was made from
};

/// Operations and collapsed scopes whose scopes are all expanded, in the order of the tree, and the
/// edges between them: one from an item to another if an operation of the one makes what an
/// operation of the other reads.
struct VisibleGraph {
    std::vector<GraphItem> items;
    std::vector<VisibleEdge> edges; ///< sorted by their ends
};
VisibleGraph visibleGraph(const ScopeTree& tree, const Expansion& expansion,
                          const std::vector<ModelEdge>& edges);

/// The visible item for an item: itself, or the outermost collapsed scope that it is in.
GraphItem visibleItem(const ScopeTree& tree, const Expansion& expansion, const GraphItem& item);

} // namespace tilescope
