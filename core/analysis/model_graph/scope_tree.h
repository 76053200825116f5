// The scopes of a model's graph: debug paths as a tree that can be collapsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/model_graph.h"

namespace tilescope {

using GraphScopeId = Id<struct GraphScopeTag>;

/// A scope or an operation.
struct GraphItem {
    GraphScopeId scope; ///< valid for a scope
    ModelNodeId node;   ///< valid for an operation
    static GraphItem of(GraphScopeId scope) { return {scope, {}}; }
    static GraphItem of(ModelNodeId node) { return {{}, node}; }
    [[nodiscard]] bool isScope() const { return scope.valid(); }
    [[nodiscard]] bool valid() const { return scope.valid() || node.valid(); }
    friend auto operator<=>(const GraphItem&, const GraphItem&) = default;
};

struct GraphScope {
    std::string label; ///< last part of its path; several parts if a scope has only one child
    std::string path;  ///< whole, with '/'; that of the root is empty
    GraphScopeId parent;
    std::vector<GraphItem> children; ///< in the order in which they run first
    std::int32_t depth = 0;          ///< 0 for the root
    std::int32_t operations = 0;     ///< in it and in the scopes in it
    std::int32_t alike = 1;          ///< scopes of this structure, itself included
};

/// Prefixes of debug paths.
struct GraphGrouping {
    bool phases = false; ///< "forward", "backward", "update"
    bool stages = false; ///< "stage 0", after the phase
    friend bool operator==(const GraphGrouping&, const GraphGrouping&) = default;
};
/// By phases in training, and by stages if there are several.
GraphGrouping usualGrouping(const ModelGraph& graph);

/// Scopes of all operations of a graph. A scope with a single child is merged with it. An operation
/// named like a scope is in that scope. Two scopes are alike if the types, shapes and names of
/// their contents are; the names of the scopes themselves may differ.
class ScopeTree {
public:
    ScopeTree(const ModelGraph& graph, const GraphGrouping& grouping);

    [[nodiscard]] GraphScopeId root() const { return GraphScopeId(0); }
    [[nodiscard]] const IdVector<GraphScopeId, GraphScope>& scopes() const { return scopes_; }
    [[nodiscard]] const GraphScope& operator[](GraphScopeId id) const { return scopes_[id]; }
    [[nodiscard]] GraphScopeId parentOf(const GraphItem& item) const;
    /// The name of an item within its scope.
    [[nodiscard]] const std::string& labelOf(const GraphItem& item) const;
    /// Invalid if there is none of that path.
    [[nodiscard]] GraphScopeId find(std::string_view path) const;
    /// True if the item is in the scope, at any depth, or is it.
    [[nodiscard]] bool isWithin(const GraphItem& item, GraphScopeId scope) const;
    /// The child of a scope that an item within it is or is in.
    [[nodiscard]] GraphItem childTowards(GraphScopeId scope, const GraphItem& item) const;
    /// Operations of a scope at any depth, in the order of the tree.
    [[nodiscard]] std::vector<ModelNodeId> operationsIn(GraphScopeId scope) const;
    [[nodiscard]] std::size_t operations() const { return nodeScopes_.size(); }

private:
    IdVector<GraphScopeId, GraphScope> scopes_; ///< parents before their children
    IdVector<ModelNodeId, GraphScopeId> nodeScopes_;
    IdVector<ModelNodeId, std::string> nodeLabels_;
};

} // namespace tilescope
