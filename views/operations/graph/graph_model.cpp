#include "views/operations/graph/graph_model.h"

#include <utility>

#include "core/analysis/accounting/cost_rows.h"

namespace tilescope::views {
namespace {

NodeCosts readCosts(const ProfileView& profile, const ModelGraph& graph,
                    const std::stop_token& stop) {
    return nodeCosts(graph,
                     costRows(profile, *accountingOf(profile, stop), CostLayer::Place, 1, stop),
                     firstInside(graph));
}

MergedGraph alone(const ModelGraph& graph) {
    MergedGraph merged;
    merged.graph = graph;
    merged.edges = modelEdges(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        merged.source.add(ModelNodeId(i));
        merged.target.add({});
    }
    return merged;
}

} // namespace

GraphModel::GraphModel(MergedGraph graph, const GraphGrouping& grouping)
    : merged(std::move(graph))
    , tree(merged.graph, grouping) {}

GraphCosts GraphModel::targetCosts(const GraphItem& item) const {
    if (!comparing)
        return {};
    return item.isScope() ? targetSums[item.scope] : target[item.node];
}

Presence GraphModel::presenceOf(const GraphItem& item) const {
    if (!comparing)
        return Presence::Both;
    return item.isScope() ? presence[item.scope] : merged.presence(item.node);
}

OperationId GraphModel::operationOf(const GraphItem& item) const {
    return !item.node.valid() || !merged.source[item.node].valid() ? OperationId()
                                                                   : node(item).operation;
}

ModelNodeId GraphModel::recordedNode(const GraphItem& item) const {
    const ModelNodeId node = item.node.valid() ? merged.source[item.node] : ModelNodeId();
    return node.valid() && first <= node ? ModelNodeId(node.index() - first.index())
                                         : ModelNodeId();
}

ModelNodeId GraphModel::nodeOf(OperationId operation) const {
    for (std::size_t i = 0; i < merged.graph.nodes.size(); ++i)
        if (operation.valid() && operationOf(GraphItem::of(ModelNodeId(i))) == operation)
            return ModelNodeId(i);
    return {};
}

std::vector<ModelNodeId> GraphModel::nodesNamed(const QString& text) const {
    std::vector<ModelNodeId> found;
    for (std::size_t i = 0; i < merged.graph.nodes.size(); ++i)
        if (QString::fromStdString(merged.graph.nodes[ModelNodeId(i)].name)
                .contains(text, Qt::CaseInsensitive))
            found.emplace_back(i);
    return found;
}

std::shared_ptr<const GraphModel> readGraph(const ProfilePair& profiles, bool byPhase, bool byStage,
                                            MissingGraph& missing, const std::stop_token& stop) {
    const auto source = profiles.source->modelGraph(stop);
    if (!source->recorded())
        return nullptr;
    const ModelGraph own = withEnds(*source);
    const auto grouping = [&](const ModelGraph& graph) {
        GraphGrouping usual = usualGrouping(graph);
        return GraphGrouping{usual.phases && byPhase, usual.stages && byStage};
    };
    std::shared_ptr<GraphModel> model;
    if (profiles.comparing()) {
        const auto target = profiles.target->modelGraph(stop);
        if (!target->recorded()) {
            missing.inTarget = true;
            return nullptr;
        }
        const ModelGraph other = withEnds(*target);
        MergedGraph merged = mergedGraph(own, other);
        const GraphGrouping usual = grouping(merged.graph);
        model = std::make_shared<GraphModel>(std::move(merged), usual);
        model->target =
            costsByMerged(model->merged.target, readCosts(*profiles.target, other, stop));
        model->targetSums = scopeCosts(model->tree, model->target);
        model->presence = scopePresence(model->tree, model->merged);
        model->comparing = true;
    } else {
        model = std::make_shared<GraphModel>(alone(own), grouping(own));
    }
    model->source = costsByMerged(model->merged.source, readCosts(*profiles.source, own, stop));
    model->sourceSums = scopeCosts(model->tree, model->source);
    model->executed = profiles.source->info().hasExecution &&
                      (!profiles.comparing() || profiles.target->info().hasExecution);
    model->first = firstInside(own);
    model->clockHz = profiles.source->machine().clockHz;
    model->places.resize(profiles.source->operations(stop)->size());
    for (const ModelNode& node : own.nodes)
        if (node.operation.valid() && node.operation.index() < model->places.size())
            ++model->places[node.operation.index()];
    return model;
}

} // namespace tilescope::views
