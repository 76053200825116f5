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

namespace {

/// Without the number of an exchange: "cs12_conv1/Convolve/ExchangePre", "copy3_Copy_a_to_b/...".
std::string_view withoutNumber(std::string_view name) {
    const std::size_t end = endOfCounter(name);
    if (end == 0)
        return name;
    const bool isCopy = name.starts_with("copy");
    name.remove_prefix(end + 1);
    // A copy belongs to what it is for.
    if (const std::size_t to = name.rfind("_to_"); isCopy && to != name.npos)
        name.remove_prefix(to + 4);
    return name;
}

} // namespace

std::size_t endOfCounter(std::string_view name) {
    for (const std::string_view word : {std::string_view("copy"), std::string_view("cs")}) {
        const std::size_t end = name.find_first_not_of("0123456789", word.size());
        if (name.starts_with(word) && end > word.size() && end < name.size() && name[end] == '_')
            return end;
    }
    return 0;
}

/// The first `depth` parts of a path.
std::string firstParts(std::string_view path, int depth) {
    std::size_t end = 0;
    for (int i = 0; i < depth && end != std::string_view::npos; ++i)
        end = path.find('/', i == 0 ? 0 : end + 1);
    return std::string(path.substr(0, end));
}

std::string libraryCall(std::string_view step) {
    std::string_view path = withoutNumber(step);
    for (const std::string_view last :
         {std::string_view("/ExchangePre"), std::string_view("/PreArrange-0")})
        if (path.ends_with(last))
            path.remove_suffix(last.size());
    const std::size_t slash = path.rfind('/');
    return std::string(slash == path.npos ? path : path.substr(0, slash));
}

} // namespace tilescope
