#include "views/operations/graph/graph_canvas.h"

#include <QApplication>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "views/operations/graph/graph_texts.h"

namespace tilescope::views {
namespace {

constexpr double closest = 3;
constexpr double farthest = 0.02;
constexpr double leastReadable = 0.62; ///< below this size names cannot be read
constexpr double margin = 18;
constexpr double zoomStep = 1.0015; ///< of an eighth of a degree of the wheel
constexpr double keyZoom = 1.25;
constexpr double keyPan = 60;

/// The visible part of a scene.
struct GraphWindow {
    double scale = 1;
    QPointF offset;
    friend bool operator==(const GraphWindow& a, const GraphWindow& b) {
        return a.scale == b.scale && a.offset.x() == b.offset.x() && a.offset.y() == b.offset.y();
    }
};

} // namespace

GraphCanvas::GraphCanvas(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Graph of the model"));
    setAccessibleDescription(tr("Arrow keys walk along edges and rows, Enter expands or collapses "
                                "a scope, F fits everything"));
    constexpr int settleMs = 150;
    settled_.setSingleShot(true);
    settled_.setInterval(settleMs);
    connect(&settled_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    connect(&context.preferences, &Preferences::unitsChanged, this, &GraphCanvas::recolour);
    context.history.add(
        *this,
        [this] {
            return QVariant::fromValue(GraphWindow{scale_, offset_});
        },
        [this](const QVariant& value) {
            const auto window = value.value<GraphWindow>();
            scale_ = window.scale;
            offset_ = window.offset;
            moved();
        },
        History::Kind::Zoom);
}

void GraphCanvas::setScene(std::shared_ptr<const GraphScene> scene, const GraphItem& anchor) {
    std::optional<QPointF> held;
    if (scene_ && scene && anchor.valid() && scene_->model == scene->model)
        if (const QRectF box = screenRect(anchor); !box.isNull())
            held = box.topLeft();
    scene_ = std::move(scene);
    recolour();
    setMatches(matches_);
    if (!scene_)
        return;
    const auto place = scene_->boxOf.find(anchor);
    if (held && place != scene_->boxOf.end()) {
        offset_ = *held - scene_->rectOf(place->second).topLeft() * scale_;
        placed_ = true;
        keepInView();
    } else {
        placed_ = false;
        fitScene();
        if (scale_ < leastReadable) {
            scale_ = std::clamp((width() - 2 * margin) / scene_->layout.width, leastReadable, 1.0);
            const QRectF first = scene_->rectOf(scene_->boxOf.at(scene_->visible.items.front()));
            offset_ = {width() / 2.0 - first.center().x() * scale_, margin};
            keepInView();
        }
    }
    context().history.forget(*this);
    update();
}

void GraphCanvas::setMetric(GraphMetric metric) {
    metric_ = metric;
    recolour();
}

void GraphCanvas::setEdgeLabels(bool shown) {
    edgeLabels_ = shown;
    update();
}

void GraphCanvas::recolour() {
    colours_.reset();
    values_.clear();
    if (!scene_)
        return;
    colours_.emplace(*scene_, metric_);
    for (const PlacedBox& box : scene_->layout.boxes)
        values_.push_back(metricText(metric_, colours_->valueOf(*scene_->model, box.item),
                                     context().preferences.byteUnits(), colours_->comparing()));
    update();
}

void GraphCanvas::setMatches(const std::vector<ModelNodeId>& nodes) {
    matches_ = nodes;
    matching_.clear();
    if (scene_) {
        matching_.assign(scene_->layout.boxes.size(), false);
        for (const ModelNodeId node : nodes) {
            const GraphItem shown =
                visibleItem(scene_->model->tree, scene_->expansion, GraphItem::of(node));
            matching_[scene_->boxOf.at(shown)] = true;
        }
    }
    update();
}

void GraphCanvas::choose(const GraphItem& item) {
    chosen_ = item;
    update();
}

void GraphCanvas::reveal(const GraphItem& item) {
    const QRectF box = screenRect(item);
    const QRectF room = QRectF(rect()).adjusted(margin, margin, -margin, -margin);
    if (box.isNull() || room.contains(box))
        return;
    // An item larger than the window shows its beginning.
    moveBy({box.width() > room.width() || box.left() < room.left() || box.right() > room.right()
                ? room.center().x() - box.center().x()
                : 0,
            box.height() > room.height() ? room.top() - box.top()
            : box.top() < room.top() || box.bottom() > room.bottom()
                ? room.center().y() - box.center().y()
                : 0});
}

void GraphCanvas::fit() {
    fitScene();
    context().history.note(*this);
}

void GraphCanvas::fitScene() {
    if (!scene_ || scene_->layout.width <= 0)
        return;
    const QRectF bounds = scene_->bounds();
    scale_ = std::clamp(std::min((width() - 2 * margin) / bounds.width(),
                                 (height() - 2 * margin) / bounds.height()),
                        farthest, 1.0);
    offset_ = QRectF(rect()).center() - bounds.center() * scale_;
    update();
}

QPointF GraphCanvas::toScene(const QPointF& position) const {
    return (position - offset_) / scale_;
}

QRectF GraphCanvas::visiblePart() const {
    return {toScene({0, 0}), QSizeF(width() / scale_, height() / scale_)};
}

QRectF GraphCanvas::screenRect(const GraphItem& item) const {
    if (!scene_)
        return {};
    const auto place = scene_->boxOf.find(item);
    if (place == scene_->boxOf.end())
        return {};
    const QRectF box = scene_->rectOf(place->second);
    return {box.topLeft() * scale_ + offset_, box.size() * scale_};
}

void GraphCanvas::zoomAt(const QPointF& position, double factor) {
    const double next = std::clamp(scale_ * factor, farthest, closest);
    offset_ = position - (position - offset_) * (next / scale_);
    scale_ = next;
    moved();
}

void GraphCanvas::moveBy(const QPointF& pixels) {
    offset_ += pixels;
    moved();
}

void GraphCanvas::moved() {
    placed_ = true;
    keepInView();
    context().history.note(*this);
    settled_.start();
    update();
}

// Some of the drawing always shows.
void GraphCanvas::keepInView() {
    if (!scene_)
        return;
    const QSizeF size = scene_->bounds().size() * scale_;
    const auto keep = [](double at, double length, double room) {
        const double least = std::min(room / 2, 60.0);
        return std::clamp(at, least - length, room - least);
    };
    offset_ = {keep(offset_.x(), size.width(), width()),
               keep(offset_.y(), size.height(), height())};
}

void GraphCanvas::chooseByUser(const GraphItem& item) {
    choose(item);
    emit itemChosen(item);
}

void GraphCanvas::wantToggle(const GraphItem& item, bool expand) {
    if (!scene_ || !item.valid())
        return;
    if (item.isScope() && scene_->expansion.isExpanded(item.scope) != expand) {
        emit toggleWanted(item.scope, expand);
    } else if (!expand) {
        const GraphScopeId parent = scene_->model->tree.parentOf(item);
        if (parent != scene_->model->tree.root())
            emit toggleWanted(parent, false);
    }
}

void GraphCanvas::walk(Qt::Key key) {
    if (!scene_ || scene_->layout.boxes.empty())
        return;
    const auto at = scene_->boxOf.find(chosen_);
    if (at == scene_->boxOf.end() || key == Qt::Key_Home) {
        chooseByUser(scene_->visible.items.front());
    } else if (const auto next = scene_->neighbour(at->second, key)) {
        chooseByUser(scene_->layout.boxes[*next].item);
    }
    reveal(chosen_);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !scene_)
        return;
    pressed_ = last_ = event->position();
    dragging_ = false;
    inMap_ = mapShows() && mapRect().contains(event->position());
    if (inMap_)
        mouseMoveEvent(event);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!scene_)
        return;
    const QPointF position = event->position();
    if (!pressed_) {
        const auto box = scene_->boxAt(toScene(position));
        emit hovered(box ? describe(scene_->layout.boxes[*box].item).section('\n', 0, 0)
                         : QString());
        return;
    }
    if (inMap_) {
        const QRectF map = mapRect();
        const QPointF share((position.x() - map.left()) / map.width(),
                            (position.y() - map.top()) / map.height());
        const QPointF wanted(share.x() * scene_->layout.width, share.y() * scene_->layout.height);
        moveBy(QRectF(rect()).center() - (wanted * scale_ + offset_));
        return;
    }
    if (!dragging_ && (position - *pressed_).manhattanLength() < QApplication::startDragDistance())
        return;
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
    moveBy(position - last_);
    last_ = position;
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !pressed_)
        return;
    const bool click = !dragging_ && !inMap_;
    pressed_.reset();
    dragging_ = inMap_ = false;
    unsetCursor();
    if (!click || !scene_)
        return;
    chooseByUser(itemAt(event->position()));
}

GraphItem GraphCanvas::itemAt(const QPointF& position) const {
    const auto box = scene_ ? scene_->boxAt(toScene(position)) : std::nullopt;
    return box ? scene_->layout.boxes[*box].item : GraphItem();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !scene_)
        return;
    const auto box = scene_->boxAt(toScene(event->position()));
    if (!box || (mapShows() && mapRect().contains(event->position())))
        return;
    const PlacedBox& one = scene_->layout.boxes[*box];
    if (one.item.isScope())
        emit toggleWanted(one.item.scope, !one.isFrame);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    zoomAt(event->position(), std::pow(zoomStep, event->angleDelta().y()));
    event->accept();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF middle = QRectF(rect()).center();
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
        return walk(static_cast<Qt::Key>(event->key()));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return wantToggle(chosen_, scene_ && chosen_.isScope() &&
                                       !scene_->expansion.isExpanded(chosen_.scope));
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return wantToggle(chosen_, true);
    case Qt::Key_Minus:
        return wantToggle(chosen_, false);
    case Qt::Key_F:
        return fit();
    case Qt::Key_PageUp:
        return zoomAt(middle, keyZoom);
    case Qt::Key_PageDown:
        return zoomAt(middle, 1 / keyZoom);
    case Qt::Key_A:
        return moveBy({keyPan, 0});
    case Qt::Key_D:
        return moveBy({-keyPan, 0});
    case Qt::Key_W:
        return moveBy({0, keyPan});
    case Qt::Key_S:
        return moveBy({0, -keyPan});
    case Qt::Key_Escape:
        return chooseByUser({});
    default:
        QWidget::keyPressEvent(event);
    }
}

// Until the user has moved the drawing it follows the window.
void GraphCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (!placed_ && scene_)
        setScene(scene_, {});
    else
        keepInView();
}

QString GraphCanvas::toolTipAt(const QPoint& position) const {
    const auto box = scene_ ? scene_->boxAt(toScene(position)) : std::nullopt;
    return box ? describe(scene_->layout.boxes[*box].item) : QString();
}

QString GraphCanvas::describe(const GraphItem& item) const {
    return scene_ ? itemText(*scene_->model, item, context().preferences) : QString();
}

std::set<std::size_t> GraphCanvas::chosenEdges() const {
    std::set<std::size_t> edges;
    if (!scene_ || !chosen_.valid())
        return edges;
    const auto own = scene_->edgesOf.find(chosen_);
    if (own != scene_->edgesOf.end())
        edges.insert(own->second.begin(), own->second.end());
    // An expanded scope has the edges that cross its frame.
    if (chosen_.isScope() && scene_->expansion.isExpanded(chosen_.scope))
        for (std::size_t e = 0; e < scene_->visible.edges.size(); ++e) {
            const VisibleEdge& edge = scene_->visible.edges[e];
            const ScopeTree& tree = scene_->model->tree;
            if (tree.isWithin(scene_->visible.items[edge.from], chosen_.scope) !=
                tree.isWithin(scene_->visible.items[edge.to], chosen_.scope))
                edges.insert(e);
        }
    return edges;
}

} // namespace tilescope::views
