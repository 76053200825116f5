// Painting of the model's graph.
#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/operations/graph/graph_canvas.h"

namespace tilescope::views {
namespace {

constexpr double textFrom = 0.42;  ///< names are painted from this scale on
constexpr double labelsFrom = 0.7; ///< and labels of lines
// Lines; more are painted without smoothing. A smoothed one takes some 40 us: while the picture
// moves they may take half a frame, and for a still picture block the window for up to 50 ms.
constexpr std::size_t smoothMoving = 0;
constexpr std::size_t smoothStill = 1000;
constexpr double corner = 5;
constexpr double widestMap = 150;
constexpr double mapMargin = 10;

/// The width grows with the logarithm of the number of edges: one is thin and thousands fit.
double lineWidth(std::size_t edges) {
    return 1.1 + 0.55 * std::log2(static_cast<double>(std::max<std::size_t>(1, edges)));
}

} // namespace

void GraphCanvas::paintEvent(QPaintEvent*) {
    QElapsedTimer timer;
    timer.start();
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    if (!scene_)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.save();
    painter.translate(offset_);
    painter.scale(scale_, scale_);
    const QRectF part = visiblePart();
    paintFrames(painter, part);
    paintWires(painter, part);
    if (edgeLabels_ && scale_ >= labelsFrom)
        paintEdgeLabels(painter, part);
    paintBoxes(painter, part);
    painter.restore();
    if (mapShows())
        paintMap(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
    frameMs_ = static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void GraphCanvas::paintFrames(QPainter& painter, const QRectF& part) const {
    const ScopeTree& tree = scene_->model->tree;
    const bool withText = scale_ >= textFrom;
    for (std::size_t i = 0; i < scene_->layout.boxes.size(); ++i) {
        const PlacedBox& box = scene_->layout.boxes[i];
        const QRectF place = scene_->rectOf(i);
        if (!box.isFrame || !place.intersects(part))
            continue;
        const bool isChosen = box.item == chosen_;
        // Deeper frames are a little darker, to show the nesting.
        const int depth = std::min(tree[box.item.scope].depth, 5);
        painter.setBrush(mixed(theme().surface, theme().text, 0.025 * depth));
        painter.setPen(QPen(isChosen ? theme().accent : theme().border, isChosen ? 2.5 : 1));
        painter.drawRoundedRect(place, corner, corner);
        if (!withText)
            continue;
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        painter.setPen(theme().mutedText);
        // The name stays in sight while the frame does.
        QRectF header(place.left(), place.top(), place.width(), frameHeader(font()));
        header.setLeft(std::max(header.left(), std::min(part.left(), place.right() - 120)));
        painter.drawText(header.adjusted(10, 0, -10, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("\u2212 ") + scene_->labels[i]);
        painter.setFont(font());
    }
}

void GraphCanvas::paintWires(QPainter& painter, const QRectF& part) const {
    const std::set<std::size_t> marked = chosenEdges();
    std::vector<std::size_t> bright;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < scene_->wires.size(); ++i)
        if (scene_->wireBounds[i].intersects(part))
            shown.push_back(i);
    painter.setRenderHint(QPainter::Antialiasing,
                          shown.size() < (settled_.isActive() ? smoothMoving : smoothStill));
    const QColor line = mixed(theme().surface, theme().mutedText, marked.empty() ? 0.75 : 0.45);
    const auto draw = [&](std::size_t i, const QColor& colour, double more) {
        const PlacedWire& wire = scene_->layout.wires[i];
        QPen pen(colour, lineWidth(wire.edges.size()) + more);
        pen.setCapStyle(Qt::FlatCap);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(scene_->wires[i]);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        paintArrow(painter, wire);
    };
    for (const std::size_t i : shown) {
        const auto& edges = scene_->layout.wires[i].edges;
        if (std::any_of(edges.begin(), edges.end(),
                        [&](std::size_t e) { return marked.contains(e); }))
            bright.push_back(i);
        else
            draw(i, line, 0);
    }
    for (const std::size_t i : bright)
        draw(i, theme().accent, 0.6);
    painter.setRenderHint(QPainter::Antialiasing);
}

void GraphCanvas::paintEdgeLabels(QPainter& painter, const QRectF& part) const {
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    for (std::size_t i = 0; i < scene_->wires.size(); ++i) {
        if (!scene_->wireBounds[i].intersects(part))
            continue;
        const QString& text = scene_->wireLabels[i];
        const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height());
        const QPointF middle = scene_->wires[i].pointAtPercent(0.5);
        const QRectF place(middle - QPointF(size.width() / 2, size.height() / 2), size);
        painter.fillRect(place, mixed(theme().surface, theme().text, 0.04));
        painter.setPen(theme().mutedText);
        painter.drawText(place, Qt::AlignCenter, text);
    }
    painter.setFont(font());
}

void GraphCanvas::paintArrow(QPainter& painter, const PlacedWire& wire) const {
    if (wire.arrow == PlacedWire::Arrow::None || scale_ < textFrom / 2)
        return;
    constexpr double length = 7;
    constexpr double half = 3.5;
    const bool down = wire.arrow == PlacedWire::Arrow::AtEnd;
    const GraphPoint& tip = down ? wire.points.back() : wire.points.front();
    const double back = down ? -length : length;
    painter.drawPolygon(
        QPolygonF({{tip.x, tip.y}, {tip.x - half, tip.y + back}, {tip.x + half, tip.y + back}}));
}

void GraphCanvas::paintBoxes(QPainter& painter, const QRectF& part) const {
    const bool withText = scale_ >= textFrom;
    for (std::size_t i = 0; i < scene_->layout.boxes.size(); ++i)
        if (!scene_->layout.boxes[i].isFrame && scene_->rectOf(i).intersects(part))
            paintBox(painter, i, withText);
}

void GraphCanvas::paintBox(QPainter& painter, std::size_t box, bool withText) const {
    const GraphModel& model = *scene_->model;
    const GraphItem& item = scene_->layout.boxes[box].item;
    const QRectF place = scene_->rectOf(box);
    const bool isEnd =
        !item.isScope() && (model.node(item).type == "Input" || model.node(item).type == "Output");
    const QColor fill =
        isEnd ? theme().raised : colours_->colourOf(colours_->valueOf(model, item), theme());
    const double round = isEnd ? place.height() / 2 : corner;
    const Presence presence = model.presenceOf(item);
    QPen border(mixed(fill, theme().text, 0.35), 1);
    if (presence != Presence::Both) {
        border = QPen(presence == Presence::TargetOnly ? theme().target : theme().source, 2.5);
        border.setStyle(presence == Presence::TargetOnly ? Qt::SolidLine : Qt::DashLine);
    }
    painter.setPen(border);
    painter.setBrush(fill);
    // A collapsed scope looks like a stack.
    if (item.isScope())
        painter.drawRoundedRect(place.translated(3.5, 3.5), round, round);
    painter.drawRoundedRect(place, round, round);
    painter.setBrush(Qt::NoBrush);
    if (!matching_.empty() && matching_[box]) {
        painter.setPen(QPen(theme().warning, 3));
        painter.drawRoundedRect(place.adjusted(-3, -3, 3, 3), round + 2, round + 2);
    }
    if (item == chosen_) {
        painter.setPen(QPen(theme().accent, 3));
        painter.drawRoundedRect(place.adjusted(-1, -1, 1, 1), round, round);
    }
    if (!withText)
        return;
    const QColor ink = Theme::textOn(fill);
    const double half = place.height() / 2;
    const QRectF upper(place.left() + 8, place.top() + 3, place.width() - 14, half - 2);
    const QRectF lower(place.left() + 8, place.top() + half - 1, place.width() - 14, half - 2);
    painter.setPen(ink);
    const QString mark = item.isScope()                     ? QStringLiteral("+ ")
                         : presence == Presence::TargetOnly ? QStringLiteral("\u2795 ")
                                                            : QString();
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, mark + scene_->labels[box]);
    painter.setPen(mixed(ink, fill, 0.22));
    QString second = !isEnd                             ? values_[box]
                     : model.node(item).type == "Input" ? tr("Input")
                                                        : tr("Output");
    const QFontMetricsF metrics(font());
    // The number is worth more than its unit, which the legend has too.
    if (!isEnd && metrics.horizontalAdvance(second) > lower.width())
        second = second.section(QLatin1Char(' '), 0, 0);
    painter.drawText(lower, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(second, Qt::ElideRight, lower.width()));
}

bool GraphCanvas::mapShows() const {
    return scene_ && !visiblePart().contains(scene_->bounds());
}

QRectF GraphCanvas::mapRect() const {
    const QSizeF size = scene_->bounds().size().scaled(widestMap, widestMap, Qt::KeepAspectRatio);
    // Very long drawings still have a map wide enough to hit.
    const QSizeF shown(std::max(size.width(), 24.0), std::max(size.height(), 24.0));
    return {width() - shown.width() - mapMargin, height() - shown.height() - mapMargin,
            shown.width(), shown.height()};
}

void GraphCanvas::paintMap(QPainter& painter) const {
    const QRectF map = mapRect();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(theme().border);
    painter.setBrush(theme().raised);
    painter.drawRect(map.adjusted(-4, -4, 3, 3));
    const double x = map.width() / scene_->layout.width;
    const double y = map.height() / scene_->layout.height;
    const auto onMap = [&](const QRectF& place) {
        return QRectF(map.left() + place.left() * x, map.top() + place.top() * y,
                      std::max(1.0, place.width() * x), std::max(1.0, place.height() * y));
    };
    const QColor ink = mixed(theme().raised, theme().text, 0.45);
    for (std::size_t i = 0; i < scene_->layout.boxes.size(); ++i)
        if (!scene_->layout.boxes[i].isFrame)
            painter.fillRect(onMap(scene_->rectOf(i)), ink);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(onMap(visiblePart()).intersected(map.adjusted(-3, -3, 2, 2)));
}

} // namespace tilescope::views
