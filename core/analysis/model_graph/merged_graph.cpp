#include "core/analysis/model_graph/merged_graph.h"

#include <algorithm>
#include <unordered_map>

#include "core/analysis/compare/matching.h"

namespace tilescope {
namespace {

class Merger {
public:
    Merger(const ModelGraph& source, const ModelGraph& target)
        : source_(source)
        , target_(target)
        , match_(matchNodes(source, target))
        , newIds_(source.nodes.size()) {}

    MergedGraph run() {
        addTensors();
        addNodes();
        addEdges();
        return std::move(merged_);
    }

private:
    void addTensors() {
        merged_.graph.tensors = source_.tensors;
        std::unordered_map<std::string_view, ModelTensorId> byName;
        for (std::size_t i = 0; i < source_.tensors.size(); ++i)
            byName.emplace(source_.tensors[ModelTensorId(i)].name, ModelTensorId(i));
        for (const ModelTensor& tensor : target_.tensors) {
            const auto same = byName.find(tensor.name);
            tensors_.push_back(same == byName.end() ? merged_.graph.tensors.add(tensor)
                                                    : same->second);
        }
    }

    [[nodiscard]] std::vector<ModelTensorId> moved(const std::vector<ModelTensorId>& list) const {
        std::vector<ModelTensorId> result;
        result.reserve(list.size());
        for (const ModelTensorId tensor : list)
            result.push_back(tensors_.at(tensor.index()));
        return result;
    }

    void add(const ModelNode& node, ModelNodeId source, ModelNodeId target) {
        merged_.graph.nodes.add(node);
        merged_.source.add(source);
        merged_.target.add(target);
    }

    void addNodes() {
        // Nodes that only the target has, after the source's node that they follow (first: none).
        std::vector<std::vector<ModelNodeId>> after(source_.nodes.size() + 1);
        std::size_t at = 0;
        for (std::size_t i = 0; i < target_.nodes.size(); ++i) {
            if (const ModelNodeId same = match_.sourceOf(ModelNodeId(i)); same.valid())
                at = same.index() + 1;
            else
                after[at].push_back(ModelNodeId(i));
        }
        targetIds_.resize(target_.nodes.size());
        const auto addAfter = [&](std::size_t place) {
            for (const ModelNodeId node : after[place]) {
                ModelNode moved = target_.nodes[node];
                moved.reads = this->moved(moved.reads);
                moved.writes = this->moved(moved.writes);
                targetIds_[node.index()] = ModelNodeId(merged_.graph.nodes.size());
                add(moved, {}, node);
            }
        };
        addAfter(0);
        for (std::size_t i = 0; i < source_.nodes.size(); ++i) {
            newIds_[i] = ModelNodeId(merged_.graph.nodes.size());
            const ModelNodeId counterpart = match_.targetOf(ModelNodeId(i));
            if (counterpart.valid())
                targetIds_[counterpart.index()] = newIds_[i];
            add(source_.nodes[ModelNodeId(i)], ModelNodeId(i), counterpart);
            addAfter(i + 1);
        }
    }

    void addEdges() {
        for (const ModelEdge& edge : modelEdges(source_))
            merged_.edges.push_back(
                {newIds_[edge.from.index()], newIds_[edge.to.index()], edge.tensor});
        for (const ModelEdge& edge : modelEdges(target_))
            merged_.edges.push_back({targetIds_[edge.from.index()], targetIds_[edge.to.index()],
                                     tensors_[edge.tensor.index()]});
        std::sort(merged_.edges.begin(), merged_.edges.end());
        merged_.edges.erase(std::unique(merged_.edges.begin(), merged_.edges.end()),
                            merged_.edges.end());
    }

    const ModelGraph& source_;
    const ModelGraph& target_;
    Matching match_;
    std::vector<ModelTensorId> tensors_; ///< by tensor of the target
    std::vector<ModelNodeId> newIds_;    ///< by node of the source
    std::vector<ModelNodeId> targetIds_; ///< by node of the target
    MergedGraph merged_;
};

} // namespace

MergedGraph mergedGraph(const ModelGraph& source, const ModelGraph& target) {
    return Merger(source, target).run();
}

NodeCosts costsByMerged(const IdVector<ModelNodeId, ModelNodeId>& side, const NodeCosts& costs) {
    NodeCosts merged;
    for (const ModelNodeId own : side)
        merged.add(own.valid() ? costs[own] : GraphCosts());
    return merged;
}

IdVector<GraphScopeId, Presence> scopePresence(const ScopeTree& tree, const MergedGraph& merged) {
    std::vector<std::int32_t> source(tree.scopes().size());
    std::vector<std::int32_t> target(tree.scopes().size());
    for (std::size_t i = 0; i < merged.graph.nodes.size(); ++i) {
        const std::size_t scope = tree.parentOf(GraphItem::of(ModelNodeId(i))).index();
        source[scope] += merged.source[ModelNodeId(i)].valid() ? 1 : 0;
        target[scope] += merged.target[ModelNodeId(i)].valid() ? 1 : 0;
    }
    IdVector<GraphScopeId, Presence> presence;
    for (std::size_t i = tree.scopes().size(); i-- > 1;) {
        const std::size_t parent = tree[GraphScopeId(i)].parent.index();
        source[parent] += source[i];
        target[parent] += target[i];
    }
    for (std::size_t i = 0; i < tree.scopes().size(); ++i)
        presence.add(target[i] == 0   ? Presence::SourceOnly
                     : source[i] == 0 ? Presence::TargetOnly
                                      : Presence::Both);
    return presence;
}

} // namespace tilescope
