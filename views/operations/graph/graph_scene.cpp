#include "views/operations/graph/graph_scene.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <set>

namespace tilescope::views {
namespace {

constexpr double narrowestBox = 124; // numbers of twelve digits fit
constexpr double widestBox = 220;    // longer names are cut; the tool tip has all of them
constexpr double besideText = 26;    // room for the mark of a scope
constexpr double aboveText = 10;

/// A line whose curves begin and end vertically.
QPainterPath pathOf(const std::vector<GraphPoint>& points) {
    QPainterPath path(QPointF(points.front().x, points.front().y));
    for (std::size_t i = 1; i < points.size(); ++i) {
        const GraphPoint& from = points[i - 1];
        const GraphPoint& to = points[i];
        const double middle = (from.y + to.y) / 2;
        if (from.x == to.x)
            path.lineTo(to.x, to.y);
        else
            path.cubicTo(from.x, middle, to.x, middle, to.x, to.y);
    }
    return path;
}

QString wireLabel(const GraphScene& scene, const PlacedWire& wire) {
    std::set<ModelTensorId> tensors;
    for (const std::size_t edge : wire.edges)
        for (const std::size_t member : scene.visible.edges[edge].members)
            tensors.insert(scene.model->merged.edges[member].tensor);
    if (tensors.size() != 1)
        return QCoreApplication::translate("ModelGraph", "%1 tensors")
            .arg(countText(static_cast<std::int64_t>(tensors.size())));
    const ModelTensor& tensor = scene.model->merged.graph.tensors[*tensors.begin()];
    return QString::fromStdString(tensor.shape + ' ' + tensor.type);
}

double rowDistance(const QRectF& from, const QRectF& to, bool right) {
    const double dx =
        right ? to.center().x() - from.center().x() : from.center().x() - to.center().x();
    const double dy = std::abs(to.center().y() - from.center().y());
    if (dx <= 0 || to.bottom() < from.top() || to.top() > from.bottom())
        return -1;
    return dx + 2 * dy;
}

} // namespace

double frameHeader(const QFont& font) {
    return QFontMetricsF(font).height() + aboveText;
}

QRectF GraphScene::rectOf(std::size_t box) const {
    const PlacedBox& b = layout.boxes.at(box);
    return {b.x, b.y, b.width, b.height};
}

std::optional<std::size_t> GraphScene::boxAt(const QPointF& point) const {
    for (std::size_t i = layout.boxes.size(); i-- > 0;)
        if (rectOf(i).contains(point))
            return i;
    return std::nullopt;
}

std::optional<std::size_t> GraphScene::neighbour(std::size_t box, Qt::Key key) const {
    std::optional<std::size_t> best;
    double nearest = -1;
    const QRectF own = rectOf(box);
    const auto consider = [&](std::size_t other, double distance) {
        if (distance >= 0 && (nearest < 0 || distance < nearest)) {
            nearest = distance;
            best = other;
        }
    };
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        for (std::size_t i = 0; i < layout.boxes.size(); ++i)
            if (i != box && layout.boxes[i].isFrame == layout.boxes[box].isFrame)
                consider(i, rowDistance(own, rectOf(i), key == Qt::Key_Right));
        return best;
    }
    const auto edges = edgesOf.find(layout.boxes[box].item);
    if (edges == edgesOf.end())
        return best;
    for (const std::size_t e : edges->second) {
        const VisibleEdge& edge = visible.edges[e];
        const bool down = visible.items[edge.from] == layout.boxes[box].item;
        if (down != (key == Qt::Key_Down))
            continue;
        const std::size_t other = boxOf.at(visible.items[down ? edge.to : edge.from]);
        const QPointF way = rectOf(other).center() - own.center();
        consider(other, std::hypot(way.x(), way.y()));
    }
    return best;
}

std::shared_ptr<const GraphScene> makeScene(std::shared_ptr<const GraphModel> model,
                                            Expansion expansion, const QFont& font,
                                            const std::stop_token& stop) {
    const QFontMetricsF metrics(font);
    const ScopeTree& tree = model->tree;
    const auto sizeOf = [&](const GraphItem& item) {
        const double label = metrics.horizontalAdvance(shownName(tree.labelOf(item)));
        return GraphBoxSize{std::clamp(label + besideText, narrowestBox, widestBox),
                            2 * metrics.height() + aboveText};
    };
    auto scene = std::make_shared<GraphScene>(
        GraphScene{model, std::move(expansion), {}, {}, {}, {}, {}, {}, {}, {}});
    scene->visible = visibleGraph(tree, scene->expansion, model->merged.edges);
    FrameRoom room;
    room.header = frameHeader(font);
    scene->layout = layOut({tree, scene->expansion, scene->visible, sizeOf, {}, room, stop});
    for (std::size_t i = 0; i < scene->layout.boxes.size(); ++i) {
        const PlacedBox& box = scene->layout.boxes[i];
        scene->boxOf[box.item] = i;
        scene->labels.push_back(metrics.elidedText(
            shownName(box.isFrame && !tree[box.item.scope].path.empty() ? tree[box.item.scope].label
                                                                        : tree.labelOf(box.item)),
            Qt::ElideMiddle, box.width - besideText + 4));
    }
    for (const PlacedWire& wire : scene->layout.wires) {
        scene->wires.push_back(pathOf(wire.points));
        scene->wireLabels.push_back(wireLabel(*scene, wire));
        scene->wireBounds.push_back(scene->wires.back().controlPointRect().adjusted(-6, -6, 6, 6));
    }
    for (std::size_t e = 0; e < scene->visible.edges.size(); ++e) {
        const VisibleEdge& edge = scene->visible.edges[e];
        scene->edgesOf[scene->visible.items[edge.from]].push_back(e);
        scene->edgesOf[scene->visible.items[edge.to]].push_back(e);
    }
    return scene;
}

} // namespace tilescope::views
