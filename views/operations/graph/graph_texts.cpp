#include "views/operations/graph/graph_texts.h"

#include <QStringList>
#include <set>

#include "core/base/units.h"
#include "views/operations/graph/graph_colours.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr std::size_t mostTensors = 6; // of a tool tip

QString tensorText(const ModelTensor& tensor) {
    QString text =
        shownName(tensor.name) + QString::fromStdString("  " + tensor.shape + ' ' + tensor.type);
    switch (tensor.source) {
    case TensorSource::Weight:
        return Text::tr("weight %1").arg(text);
    case TensorSource::Constant:
        return Text::tr("constant %1").arg(text);
    case TensorSource::Input:
        return Text::tr("input %1").arg(text);
    case TensorSource::Remote:
        return Text::tr("from streaming memory %1").arg(text);
    case TensorSource::Operation:
        break;
    }
    return text;
}

void addTensors(QStringList& lines, const QString& title, const ModelGraph& graph,
                const std::vector<ModelTensorId>& tensors) {
    for (std::size_t i = 0; i < std::min(tensors.size(), mostTensors); ++i)
        lines << title.arg(tensorText(graph.tensors[tensors[i]]));
    if (tensors.size() > mostTensors)
        lines << title.arg(Text::tr("%1 more").arg(tensors.size() - mostTensors));
}

void addFigures(QStringList& lines, const GraphModel& model, const GraphItem& item,
                const Preferences& preferences) {
    for (const GraphMetric metric : graphMetrics) {
        if (metric == GraphMetric::MeasuredCycles && !model.executed)
            continue;
        const double source = valueOf(model.sourceCosts(item), metric);
        const double target = valueOf(model.targetCosts(item), metric);
        if (source == 0 && target == 0)
            continue;
        const auto text = [&](double value) {
            return metricText(metric, value, preferences.byteUnits());
        };
        lines << (model.comparing ? Text::tr("%1: %2, then %3")
                                        .arg(metricTitle(metric), text(source), text(target))
                                  : Text::tr("%1: %2").arg(metricTitle(metric), text(source)));
    }
}

Cell cellOf(GraphMetric metric, const GraphCosts& costs) {
    const double value = valueOf(costs, metric);
    if (metric == GraphMetric::Utilisation || metric == GraphMetric::Flops)
        return value;
    return static_cast<std::int64_t>(value);
}

/// Tensors that pass the border of a scope.
ValueNode tensorsThrough(const GraphModel& model, GraphScopeId scope, bool entering) {
    ValueNode node{entering ? Text::tr("Enters") : Text::tr("Leaves"), {}, {}, Unit::None};
    std::set<ModelTensorId> seen;
    for (const ModelEdge& edge : model.merged.edges) {
        const bool from = model.tree.isWithin(GraphItem::of(edge.from), scope);
        const bool to = model.tree.isWithin(GraphItem::of(edge.to), scope);
        if (from == to || to != entering || !seen.insert(edge.tensor).second)
            continue;
        const ModelTensor& tensor = model.merged.graph.tensors[edge.tensor];
        node.children.push_back(
            valueLine(QString::fromStdString(tensor.name), tensor.shape + " " + tensor.type));
    }
    node.values.emplace_back(Text::tr("tensors: %1")
                                 .arg(countText(static_cast<std::int64_t>(seen.size())))
                                 .toStdString());
    return node;
}

} // namespace

QString fullName(const GraphModel& model, const GraphItem& item) {
    return shownName(item.isScope() ? model.tree[item.scope].path : model.node(item).name);
}

QString itemText(const GraphModel& model, const GraphItem& item, const Preferences& preferences) {
    QStringList lines{fullName(model, item)};
    if (item.isScope()) {
        const GraphScope& scope = model.tree[item.scope];
        lines << Text::tr("scope of %1 operations").arg(scope.operations);
        if (scope.alike > 1)
            lines << Text::tr("%1 scopes are alike").arg(scope.alike);
    } else {
        const ModelNode& node = model.node(item);
        if (!node.type.empty())
            lines << QString::fromStdString(node.type);
        addTensors(lines, Text::tr("reads %1"), model.merged.graph, node.reads);
        addTensors(lines, Text::tr("makes %1"), model.merged.graph, node.writes);
        const OperationId operation = model.operationOf(item);
        if (operation.valid() && operation.index() < model.places.size() &&
            model.places[operation.index()] > 1)
            lines << Text::tr("in a function that runs at %1 places, which share its code and "
                              "memory")
                         .arg(model.places[operation.index()]);
    }
    const Presence presence = model.presenceOf(item);
    if (presence != Presence::Both)
        lines << (presence == Presence::SourceOnly ? Text::tr("only in the source")
                                                   : Text::tr("only in the target"));
    addFigures(lines, model, item, preferences);
    return lines.join(QLatin1Char('\n'));
}

ValueTree scopeSummary(const GraphModel& model, GraphScopeId scope) {
    const GraphItem item = GraphItem::of(scope);
    ValueTree tree{Text::tr("Property"), valueTitles(model.comparing), {}, true};
    const std::string& path = model.tree[scope].path;
    tree.roots = {
        valueLine(Text::tr("Scope"), path),
        valueLine(Text::tr("Operations"), std::int64_t{model.tree[scope].operations}, Unit::Count),
        valueLine(Text::tr("Scopes alike"), std::int64_t{model.tree[scope].alike}, Unit::Count)};
    for (const GraphMetric metric : graphMetrics) {
        if (metric == GraphMetric::MeasuredCycles && !model.executed)
            continue;
        ValueNode node{metricTitle(metric), {}, {}, metricRow(metric).unit};
        node.values.push_back(cellOf(metric, model.sourceCosts(item)));
        if (model.comparing)
            node.values.push_back(cellOf(metric, model.targetCosts(item)));
        tree.roots.push_back(std::move(node));
    }
    tree.roots.push_back(tensorsThrough(model, scope, true));
    tree.roots.push_back(tensorsThrough(model, scope, false));
    return tree;
}

} // namespace tilescope::views
