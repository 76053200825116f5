#include "core/analysis/model_graph/visible_graph.h"

#include <algorithm>
#include <map>

namespace tilescope {

Expansion::Expansion(const ScopeTree& tree)
    : expanded_(tree.scopes().size()) {
    expanded_[tree.root().index()] = true;
}

void Expansion::set(GraphScopeId scope, bool expanded) {
    if (scope.index() > 0)
        expanded_.at(scope.index()) = expanded;
}

void Expansion::setAll(bool expanded) {
    std::fill(expanded_.begin() + 1, expanded_.end(), expanded);
}

void Expansion::reveal(const ScopeTree& tree, const GraphItem& item) {
    for (GraphScopeId at = tree.parentOf(item); at.valid(); at = tree[at].parent)
        set(at, true);
}

Expansion startingExpansion(const ScopeTree& tree, std::size_t most) {
    // Fewer say too little about a model.
    constexpr std::size_t fewest = 8;
    Expansion expansion(tree);
    std::size_t shown = tree[tree.root()].children.size();
    std::vector<GraphScopeId> level{tree.root()};
    while (!level.empty()) {
        std::vector<GraphScopeId> next;
        for (const GraphScopeId scope : level)
            if (expansion.isExpanded(scope))
                for (const GraphItem& child : tree[scope].children)
                    if (child.isScope())
                        next.push_back(child.scope);
        std::size_t all = shown;
        for (const GraphScopeId scope : next)
            all += tree[scope].children.size() - 1;
        if (all > most && shown >= fewest)
            return expansion;
        for (const GraphScopeId scope : next) {
            const std::size_t more = tree[scope].children.size() - 1;
            if (shown + more > most)
                continue;
            expansion.set(scope, true);
            shown += more;
        }
        if (all > most)
            return expansion;
        level = std::move(next);
    }
    return expansion;
}

ModelGraph withEnds(const ModelGraph& graph) {
    ModelGraph made;
    made.tensors = graph.tensors;
    // Names of tensors are paths as well, but the ends belong to no scope.
    const auto lastPart = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& tensor = graph.tensors[ModelTensorId(i)];
        if (tensor.source == TensorSource::Input)
            made.nodes.add({lastPart(tensor.name),
                            "Input",
                            {},
                            ModelPhase::Forward,
                            0,
                            {},
                            {ModelTensorId(i)}});
    }
    for (const ModelNode& node : graph.nodes)
        made.nodes.add(node);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& tensor = graph.tensors[ModelTensorId(i)];
        if (!tensor.isOutput)
            continue;
        ModelNode end{lastPart(tensor.name), "Output", {}, ModelPhase::Forward, 0, {}, {}};
        end.reads.emplace_back(i);
        for (const ModelNode& node : graph.nodes)
            if (std::find(node.writes.begin(), node.writes.end(), ModelTensorId(i)) !=
                node.writes.end()) {
                end.phase = node.phase;
                end.stage = node.stage;
            }
        made.nodes.add(std::move(end));
    }
    return made;
}

ModelNodeId firstInside(const ModelGraph& graph) {
    return ModelNodeId(static_cast<std::size_t>(
        std::count_if(graph.tensors.begin(), graph.tensors.end(), [](const ModelTensor& tensor) {
            return tensor.source == TensorSource::Input;
        })));
}

std::vector<ModelEdge> modelEdges(const ModelGraph& graph) {
    std::vector<std::vector<ModelNodeId>> writers(graph.tensors.size());
    std::vector<ModelEdge> edges;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNodeId reader(i);
        for (const ModelTensorId tensor : graph.nodes[reader].reads)
            for (const ModelNodeId writer : writers.at(tensor.index()))
                edges.push_back({writer, reader, tensor});
        for (const ModelTensorId tensor : graph.nodes[reader].writes)
            writers.at(tensor.index()).push_back(reader);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::erase_if(edges, [](const ModelEdge& edge) { return edge.from == edge.to; });
    return edges;
}

GraphItem visibleItem(const ScopeTree& tree, const Expansion& expansion, const GraphItem& item) {
    GraphItem shown = item;
    for (GraphScopeId at = tree.parentOf(item); at.valid(); at = tree[at].parent)
        if (!expansion.isExpanded(at))
            shown = GraphItem::of(at);
    return shown;
}

VisibleGraph visibleGraph(const ScopeTree& tree, const Expansion& expansion,
                          const std::vector<ModelEdge>& edges) {
    VisibleGraph graph;
    std::vector<std::size_t> placeOf(tree.operations());
    std::vector<GraphItem> open{GraphItem::of(tree.root())};
    while (!open.empty()) {
        const GraphItem item = open.back();
        open.pop_back();
        if (item.isScope() && expansion.isExpanded(item.scope)) {
            const std::vector<GraphItem>& children = tree[item.scope].children;
            open.insert(open.end(), children.rbegin(), children.rend());
            continue;
        }
        if (item.isScope())
            for (const ModelNodeId node : tree.operationsIn(item.scope))
                placeOf[node.index()] = graph.items.size();
        else
            placeOf[item.node.index()] = graph.items.size();
        graph.items.push_back(item);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> between;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const std::size_t from = placeOf[edges[i].from.index()];
        const std::size_t to = placeOf[edges[i].to.index()];
        if (from != to)
            between[{from, to}].push_back(i);
    }
    for (auto& [ends, members] : between)
        graph.edges.push_back({ends.first, ends.second, std::move(members)});
    return graph;
}

} // namespace tilescope
