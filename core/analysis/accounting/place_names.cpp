#include "core/analysis/accounting/place_names.h"

#include <algorithm>

namespace tilescope {
namespace {

std::string_view lastPart(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
}

} // namespace

PlaceNames::PlaceNames(const ModelGraph& graph, const IdVector<OperationId, Operation>& operations,
                       const CallSites& sites)
    : graph_(graph)
    , operations_(operations)
    , sites_(sites)
    , nodes_(operations.size())
    , used_(graph.nodes.size(), false) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNode& node = graph.nodes[ModelNodeId(i)];
        recorded_ = recorded_ || !node.calls.empty();
        if (node.operation.valid() && node.operation.index() < nodes_.size())
            nodes_[node.operation.index()].push_back(ModelNodeId(i));
    }
}

PlaceName PlaceNames::of(CallSiteId site, OperationId operation) {
    const std::vector<OperationId> calls = sites_.operationsOf(site);
    const ModelNodeId node =
        calls.empty() || recorded_ ? exact(calls, operation) : likely(calls, operation);
    if (node.valid()) {
        used_[node.index()] = true;
        return {node, graph_.nodes[node].name};
    }
    // Copies of a call within a function are recorded once for all places of that function.
    const std::vector<ModelNodeId>& nodes = nodes_[operation.index()];
    const ModelNodeId only = nodes.size() == 1 ? nodes.front() : ModelNodeId();
    if (only.valid())
        used_[only.index()] = true;
    const std::string& name = operations_[operation].name;
    if (calls.empty())
        return {only, name};
    std::string path = operations_[calls.front()].name;
    for (std::size_t i = 1; i < calls.size(); ++i)
        path.append("/").append(lastPart(operations_[calls[i]].name));
    return {only, path.append("/").append(lastPart(name))};
}

std::vector<ModelNodeId> PlaceNames::unused() const {
    std::vector<ModelNodeId> nodes;
    for (std::size_t i = 0; i < used_.size(); ++i)
        if (!used_[i])
            nodes.emplace_back(i);
    return nodes;
}

ModelNodeId PlaceNames::exact(const std::vector<OperationId>& calls, OperationId operation) const {
    for (const ModelNodeId node : nodes_[operation.index()])
        if (graph_.nodes[node].calls == calls)
            return node;
    return {};
}

ModelNodeId PlaceNames::likely(const std::vector<OperationId>& calls, OperationId operation) const {
    const std::string scope = scopeOf(calls) + '/';
    ModelNodeId any;
    for (const ModelNodeId node : nodes_[operation.index()]) {
        if (used_[node.index()])
            continue;
        if (graph_.nodes[node].name.starts_with(scope))
            return node;
        if (!any.valid())
            any = node;
    }
    return any;
}

std::string PlaceNames::scopeOf(const std::vector<OperationId>& calls) const {
    const std::string& call = operations_[calls.front()].name;
    const std::size_t slash = call.rfind('/');
    return slash == call.npos ? call : call.substr(0, slash);
}

} // namespace tilescope
