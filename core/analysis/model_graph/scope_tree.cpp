#include "core/analysis/model_graph/scope_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace tilescope {
namespace {

/// Deeper paths are not split further; no model is nested like that, but a damaged file may be.
constexpr std::size_t deepestPath = 64;

std::string pathOf(const ModelNode& node, const GraphGrouping& grouping) {
    std::string path;
    if (grouping.phases)
        path += std::string(toString(node.phase)) + '/';
    if (grouping.stages)
        path += fmt::format("stage {}/", node.stage);
    return path + node.name;
}

/// Ends of the scopes that a path names: "a/b/c" has "a" and "a/b".
std::vector<std::size_t> scopeEnds(std::string_view path) {
    std::vector<std::size_t> ends;
    for (std::size_t at = path.find('/'); at != path.npos && ends.size() < deepestPath;
         at = path.find('/', at + 1))
        ends.push_back(at);
    return ends;
}

/// The tree as given by the paths, including scopes that have only one child.
struct RawTree {
    struct Scope {
        std::string path;
        std::size_t parent = 0;
        std::vector<GraphItem> children; ///< scopes by their place in `scopes`
    };
    std::vector<Scope> scopes{1};
    std::vector<std::string> nodePaths;

    RawTree(const ModelGraph& graph, const GraphGrouping& grouping) {
        std::unordered_set<std::string_view> known;
        for (const ModelNode& node : graph.nodes)
            nodePaths.push_back(pathOf(node, grouping));
        for (const std::string& path : nodePaths)
            for (const std::size_t end : scopeEnds(path))
                known.insert(std::string_view(path).substr(0, end));
        for (std::size_t i = 0; i < nodePaths.size(); ++i)
            scopes[scopeFor(nodePaths[i], known.contains(nodePaths[i]))].children.push_back(
                GraphItem::of(ModelNodeId(i)));
    }

private:
    std::size_t scopeFor(const std::string& path, bool isScope) {
        std::vector<std::size_t> ends = scopeEnds(path);
        if (isScope)
            ends.push_back(path.size());
        std::size_t at = 0;
        for (const std::size_t end : ends) {
            const auto [place, isNew] = places_.try_emplace(path.substr(0, end), scopes.size());
            if (isNew) {
                scopes[at].children.push_back(GraphItem::of(GraphScopeId(place->second)));
                scopes.push_back({place->first, at, {}});
            }
            at = place->second;
        }
        return at;
    }

    std::unordered_map<std::string, std::size_t> places_;
};

std::string labelBelow(const std::string& parent, const std::string& path) {
    if (parent.empty())
        return path;
    // An operation with the name of its scope keeps its last part.
    if (path.size() <= parent.size())
        return path.substr(path.rfind('/') + 1);
    return path.substr(parent.size() + 1);
}

/// Counts, for each scope, the scopes that have its structure.
class Likeness {
public:
    Likeness(const ModelGraph& graph, const IdVector<ModelNodeId, std::string>& labels)
        : graph_(graph)
        , labels_(labels) {}

    void mark(IdVector<GraphScopeId, GraphScope>& scopes) {
        std::vector<std::size_t> kinds(scopes.size());
        std::vector<std::int32_t> counts;
        for (std::size_t i = scopes.size(); i-- > 0;) {
            std::string structure;
            for (const GraphItem& child : scopes[GraphScopeId(i)].children)
                structure += child.isScope() ? fmt::format("{}#{};", scopes[child.scope].label,
                                                           kinds[child.scope.index()])
                                             : describe(child.node);
            kinds[i] = kinds_.try_emplace(std::move(structure), kinds_.size()).first->second;
            counts.resize(kinds_.size());
            ++counts[kinds[i]];
        }
        for (std::size_t i = 0; i < scopes.size(); ++i)
            scopes[GraphScopeId(i)].alike = counts[kinds[i]];
    }

private:
    [[nodiscard]] std::string describe(ModelNodeId id) const {
        const ModelNode& node = graph_.nodes[id];
        std::string text = labels_[id] + ':' + node.type;
        for (const ModelTensorId made : node.writes)
            text += graph_.tensors[made].shape + graph_.tensors[made].type;
        return text + ';';
    }

    const ModelGraph& graph_;
    const IdVector<ModelNodeId, std::string>& labels_;
    std::unordered_map<std::string, std::size_t> kinds_;
};

} // namespace

GraphGrouping usualGrouping(const ModelGraph& graph) {
    GraphGrouping grouping;
    for (const ModelNode& node : graph.nodes) {
        grouping.phases = grouping.phases || node.phase != ModelPhase::Forward;
        grouping.stages = grouping.stages || node.stage != 0;
    }
    return grouping;
}

ScopeTree::ScopeTree(const ModelGraph& graph, const GraphGrouping& grouping) {
    const RawTree raw(graph, grouping);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        nodeScopes_.add(root());
        nodeLabels_.add({});
    }
    scopes_.add({});
    struct Task {
        std::size_t from;
        GraphScopeId to;
    };
    std::vector<Task> tasks{{0, root()}};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const auto [from, to] = tasks[t];
        for (GraphItem child : raw.scopes[from].children) {
            while (child.isScope() && raw.scopes[child.scope.index()].children.size() == 1)
                child = raw.scopes[child.scope.index()].children.front();
            if (child.isScope()) {
                const std::string& path = raw.scopes[child.scope.index()].path;
                const GraphScopeId made = scopes_.add(
                    {labelBelow(scopes_[to].path, path), path, to, {}, scopes_[to].depth + 1});
                tasks.push_back({child.scope.index(), made});
                child = GraphItem::of(made);
            } else {
                nodeScopes_[child.node] = to;
                nodeLabels_[child.node] =
                    labelBelow(scopes_[to].path, raw.nodePaths[child.node.index()]);
            }
            scopes_[to].children.push_back(child);
        }
    }
    for (const GraphScopeId scope : nodeScopes_)
        ++scopes_[scope].operations;
    for (std::size_t i = scopes_.size(); i-- > 1;)
        scopes_[scopes_[GraphScopeId(i)].parent].operations += scopes_[GraphScopeId(i)].operations;
    Likeness(graph, nodeLabels_).mark(scopes_);
}

GraphScopeId ScopeTree::parentOf(const GraphItem& item) const {
    return item.isScope() ? scopes_[item.scope].parent : nodeScopes_[item.node];
}

const std::string& ScopeTree::labelOf(const GraphItem& item) const {
    return item.isScope() ? scopes_[item.scope].label : nodeLabels_[item.node];
}

GraphScopeId ScopeTree::find(std::string_view path) const {
    for (std::size_t i = 0; i < scopes_.size(); ++i)
        if (scopes_[GraphScopeId(i)].path == path)
            return GraphScopeId(i);
    return {};
}

bool ScopeTree::isWithin(const GraphItem& item, GraphScopeId scope) const {
    GraphScopeId at = item.isScope() ? item.scope : nodeScopes_[item.node];
    while (at.valid() && at != scope)
        at = scopes_[at].parent;
    return at.valid();
}

GraphItem ScopeTree::childTowards(GraphScopeId scope, const GraphItem& item) const {
    GraphItem at = item;
    for (GraphScopeId parent = parentOf(at); parent.valid() && parent != scope;
         parent = parentOf(at))
        at = GraphItem::of(parent);
    return at;
}

std::vector<ModelNodeId> ScopeTree::operationsIn(GraphScopeId scope) const {
    std::vector<ModelNodeId> found;
    std::vector<GraphItem> open{GraphItem::of(scope)};
    while (!open.empty()) {
        const GraphItem item = open.back();
        open.pop_back();
        if (!item.isScope()) {
            found.push_back(item.node);
            continue;
        }
        const std::vector<GraphItem>& children = scopes_[item.scope].children;
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return found;
}

} // namespace tilescope
