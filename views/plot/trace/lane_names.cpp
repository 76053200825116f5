#include "views/plot/trace/lane_names.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>

#include "core/base/printable.h"
#include "views/plot/trace/trace_plot.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr int arrowRoom = 14;
constexpr int besideAxis = 8;
constexpr int fieldWidth = PlotWidget::leftMargin - besideAxis;

void paintArrow(QPainter& painter, const QRectF& room, bool folded, const QColor& colour) {
    const QPointF c = room.center();
    constexpr double half = 3.5;
    QPainterPath path;
    if (folded) {
        path.moveTo(c + QPointF(-half / 2, -half));
        path.lineTo(c + QPointF(half / 2 + 1, 0));
        path.lineTo(c + QPointF(-half / 2, half));
    } else {
        path.moveTo(c + QPointF(-half, -half / 2));
        path.lineTo(c + QPointF(0, half / 2 + 1));
        path.lineTo(c + QPointF(half, -half / 2));
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(path, colour);
    painter.restore();
}

} // namespace

LaneNames::LaneNames(TracePlot& plot)
    : QWidget(&plot)
    , plot_(plot) {
    setMouseTracking(true);
    setAccessibleName(tr("Names of lanes"));
    setToolTip(tr("Lanes: the arrow folds, dragging a name moves, dragging its lower edge changes "
                  "the height"));
}

const LanePlace* LaneNames::placeAt(const QPoint& position) const {
    return plot_.trace().layout().at(position.y() - plot_.axisRect()->top());
}

QRect LaneNames::fieldOf(const LanePlace& place) const {
    const int top = plot_.axisRect()->top() + qRound(place.top);
    const int height =
        std::max(qRound(place.bottom() - place.top),
                 std::min(plot_.fontMetrics().height(),
                          qRound(place.bottom() - place.top + plot_.trace().layout().gap)));
    return {0, top, fieldWidth, height};
}

QRect LaneNames::arrowOf(const LanePlace& place) const {
    const QRect field = fieldOf(place);
    return {field.left() + 1, field.top(), arrowRoom,
            std::min(field.height(), plot_.fontMetrics().height() + 2)};
}

const LanePlace* LaneNames::edgeAt(const QPoint& position) const {
    constexpr int reach = 4;
    const LaneLayout& layout = plot_.trace().layout();
    for (const LanePlace& place : layout.places) {
        const int bottom = plot_.axisRect()->top() + qRound(place.bottom());
        const bool seen = layout.inSight(place, plot_.axisRect()->height());
        if (seen && position.y() > bottom - reach && position.y() <= bottom + reach)
            return &place;
    }
    return nullptr;
}

void LaneNames::mousePressEvent(QMouseEvent* event) {
    plot_.setFocus(Qt::MouseFocusReason);
    const QPoint at = event->pos();
    const LanePlace* edge = edgeAt(at);
    const LanePlace* place = placeAt(at);
    if (event->button() != Qt::LeftButton || (edge == nullptr && place == nullptr)) {
        if (place != nullptr)
            plot_.setCurrentLane(place->lane);
        return;
    }
    // The arrow of a low lane takes precedence over its edge.
    const bool onArrow = place != nullptr && arrowOf(*place).contains(at);
    const LanePlace& taken = edge != nullptr && !onArrow ? *edge : *place;
    const Drag::What what = onArrow           ? Drag::What::Fold
                            : edge != nullptr ? Drag::What::Height
                                              : Drag::What::Move;
    drag_ = Drag{what, taken.lane, at, false, {}, 0};
    plot_.setCurrentLane(taken.lane);
}

void LaneNames::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->pos();
    if (drag_)
        return drag(at);
    const LanePlace* place = placeAt(at);
    const bool onArrow = place != nullptr && arrowOf(*place).contains(at);
    setCursor(onArrow                 ? Qt::PointingHandCursor
              : edgeAt(at) != nullptr ? Qt::SizeVerCursor
              : place != nullptr      ? Qt::OpenHandCursor
                                      : Qt::ArrowCursor);
    const int lane = place == nullptr ? -1 : static_cast<int>(place->lane);
    if (std::exchange(hovered_, lane) != lane)
        plot_.update();
}

void LaneNames::drag(const QPoint& position) {
    drag_->underWay = drag_->underWay || (position - drag_->from).manhattanLength() >=
                                             QApplication::startDragDistance();
    if (!drag_->underWay)
        return;
    if (drag_->what == Drag::What::Height) {
        if (const LanePlace* place = plot_.trace().layout().of(drag_->lane)) {
            const double height = position.y() - plot_.axisRect()->top() - place->top;
            plot_.setRowHeight(drag_->lane, qRound(height / static_cast<double>(place->rows)));
        }
        return;
    }
    drag_->what = Drag::What::Move;
    dragLane(position);
}

// Dragging to the upper or lower edge scrolls lanes into view.
void LaneNames::scrollAtEdge(double y) {
    constexpr double reach = 12; // pixels
    const LaneLayout& layout = plot_.trace().layout();
    const LanePlace* dragged = layout.of(drag_->lane);
    if (dragged == nullptr || dragged->pinned)
        return;
    QScrollBar& scroll = plot_.scrollBar();
    if (y < layout.pinnedHeight + reach)
        scroll.setValue(scroll.value() - plot_.rowHeight());
    else if (y > plot_.axisRect()->height() - reach)
        scroll.setValue(scroll.value() + plot_.rowHeight());
}

// Drops between the middles of two lanes; pinned lanes stay among pinned ones.
void LaneNames::dragLane(const QPoint& position) {
    setCursor(Qt::ClosedHandCursor);
    const double y = position.y() - plot_.axisRect()->top();
    scrollAtEdge(y);
    const LaneLayout& layout = plot_.trace().layout();
    const LanePlace* dragged = layout.of(drag_->lane);
    if (dragged == nullptr)
        return;
    drag_->before.reset();
    for (const LanePlace& place : layout.places) {
        if (place.pinned != dragged->pinned)
            continue;
        if (y < (place.top + place.bottom()) / 2) {
            drag_->before = place.lane;
            drag_->lineAt = place.top - layout.gap / 2;
            break;
        }
        drag_->lineAt = place.bottom() + layout.gap / 2;
    }
    plot_.update();
}

void LaneNames::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !drag_)
        return;
    const Drag done = *drag_;
    drag_.reset();
    setCursor(Qt::ArrowCursor);
    if (done.what == Drag::What::Fold && !done.underWay)
        plot_.act(LaneAction::Fold, done.lane);
    if (done.what == Drag::What::Move && done.underWay) {
        const LaneLayout& layout = plot_.trace().layout();
        const LanePlace* dragged = layout.of(done.lane);
        // After the last pinned lane means before the first that is not pinned.
        std::size_t before = plot_.trace().laneRows().keys.size();
        if (done.before)
            before = *done.before;
        else if (dragged != nullptr && dragged->pinned)
            for (const LanePlace& place : layout.places)
                if (!place.pinned) {
                    before = place.lane;
                    break;
                }
        plot_.moveLane(done.lane, before);
    }
    plot_.update();
}

void LaneNames::mouseDoubleClickEvent(QMouseEvent* event) {
    const LanePlace* place = placeAt(event->pos());
    // The second press on the arrow folds once more, as the first did.
    if (event->button() == Qt::LeftButton && place != nullptr)
        plot_.act(LaneAction::Fold, place->lane);
}

void LaneNames::contextMenuEvent(QContextMenuEvent* event) {
    if (const LanePlace* place = placeAt(event->pos()))
        plot_.openLaneMenu(place->lane, event->globalPos());
    else
        event->ignore();
}

void LaneNames::wheelEvent(QWheelEvent* event) {
    // Beside the axis there is no cycle to zoom at: the wheel scrolls.
    if (!event->modifiers().testFlag(Qt::ControlModifier)) {
        plot_.scrollBar().setValue(plot_.scrollBar().value() - event->angleDelta().y() / 2);
        event->accept();
        return;
    }
    event->ignore(); // the plot's
}

// The plot is the parent widget: it gets no event when the pointer leaves its axes.
void LaneNames::enterEvent(QEnterEvent* event) {
    QWidget::enterEvent(event);
    QEvent left(QEvent::Leave);
    QCoreApplication::sendEvent(&plot_, &left);
}

void LaneNames::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    if (std::exchange(hovered_, -1) >= 0)
        plot_.update();
}

QString LaneNames::toolTipAt(const QPoint& position) const {
    const LanePlace* place = placeAt(position);
    if (place == nullptr)
        return {};
    const TraceLane& lane = (*plot_.trace().overview())[place->lane];
    const double within = position.y() - plot_.axisRect()->top() - place->top;
    const auto row = static_cast<std::size_t>(std::max(0.0, within) / place->rowHeight);
    QStringList lines{shownName(lane.name).replace(QLatin1Char('\n'), QLatin1Char(' '))};
    if (!place->folded && row < lane.rowNames.size() && !lane.rowNames[row].empty())
        lines << shownName(lane.rowNames[row]);
    lines << tr("Drag to move, drag the lower edge for the height; more in the context menu");
    return lines.join(QLatin1Char('\n'));
}

bool LaneNames::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString text = toolTipAt(help->pos()); !text.isEmpty()) {
            QToolTip::showText(help->globalPos(), text, this);
            return true;
        }
    }
    return QWidget::event(event);
}

void LaneNames::paint(QPainter& painter, const Theme& theme) const {
    const LaneLayout& layout = plot_.trace().layout();
    const QRect area = plot_.axisRect()->rect();
    const int pinned = area.top() + qRound(layout.pinnedHeight);
    for (const LanePlace& place : layout.places) {
        if (!layout.inSight(place, area.height()))
            continue;
        const int top = place.pinned ? area.top() : pinned;
        const int bottom = place.pinned ? pinned : area.bottom() + 1;
        painter.setClipRect(QRect(0, top, plot_.width(), bottom - top));
        paintLane(painter, theme, place);
    }
    painter.setClipRect(QRect(0, area.top() - 1, plot_.width(), area.height() + 2));
    if (layout.pinnedHeight > 0)
        painter.fillRect(QRect(0, pinned - 2, area.right() + 1, 2), theme.border);
    if (drag_ && drag_->underWay && drag_->what == Drag::What::Move)
        painter.fillRect(QRect(0, area.top() + qRound(drag_->lineAt) - 1, area.right() + 1, 3),
                         theme.accent);
}

void LaneNames::paintLane(QPainter& painter, const Theme& theme, const LanePlace& place) const {
    const TraceLane& lane = (*plot_.trace().overview())[place.lane];
    const QRect area = plot_.axisRect()->rect();
    const QRect field = fieldOf(place);
    if (plot_.hasFocus() && plot_.currentLane() == static_cast<int>(place.lane)) {
        painter.setPen(QPen(theme.accent, 1));
        painter.drawRect(field.adjusted(3, 0, -1, 0));
    }
    if (drag_ && drag_->underWay && drag_->lane == place.lane)
        painter.fillRect(field, theme.selected);
    paintName(painter, theme, place, lane);
    painter.setPen(theme.mutedText);
    if (!place.folded)
        paintRowNames(painter, place, lane);
    const int line = area.top() + qRound(place.bottom() + plot_.trace().layout().gap / 2);
    painter.setPen(theme.border);
    if (place.lane != plot_.trace().layout().places.back().lane)
        painter.drawLine(0, line, area.right(), line);
}

void LaneNames::paintName(QPainter& painter, const Theme& theme, const LanePlace& place,
                          const TraceLane& lane) const {
    const bool hovered = hovered_ == static_cast<int>(place.lane);
    paintArrow(painter, arrowOf(place), place.folded, hovered ? theme.text : theme.mutedText);
    const QRect field = fieldOf(place);
    const QRect room(field.left() + arrowRoom, field.top(), field.width() - arrowRoom - 2,
                     std::max(field.height(), painter.fontMetrics().height()));
    if (place.pinned) { // a pin's head and needle at the left of the name
        painter.fillRect(QRect(room.left() + 1, room.top() + 4, 5, 5), theme.accent);
        painter.fillRect(QRect(room.left() + 3, room.top() + 9, 1, 5), theme.accent);
    }
    painter.setPen(theme.text);
    // The first line of two says which of two profiles it is of.
    const QString name =
        shownText(QString::fromStdString(printable(lane.name, Lines::Keep)), mostOfOne);
    QString line = QString(name).replace(QLatin1Char('\n'), QLatin1Char(' '));
    // Of two profiles the colour tells them apart where only one line has room.
    const bool ofPair = name.contains(QLatin1Char('\n'));
    constexpr int keyWidth = 3; // pixels
    const int besidePin = place.pinned ? 8 : 1;
    if (ofPair)
        painter.fillRect(QRect(room.left() + besidePin, room.top() + 1, keyWidth,
                               painter.fontMetrics().height() - 2),
                         lane.target ? theme.target : theme.source);
    const bool lines = ofPair && room.height() >= 2 * painter.fontMetrics().height() &&
                       (place.folded || lane.rowNames.size() < 2); // names of rows are below it
    constexpr int besideKey = keyWidth + 4;                        // pixels
    if (ofPair && painter.fontMetrics().horizontalAdvance(line) > room.width() - besideKey)
        line = name.section(QLatin1Char('\n'), -1);
    const auto elided = [&](const QString& text) {
        return painter.fontMetrics().elidedText(text, Qt::ElideRight, room.width());
    };
    const QString shown =
        lines ? elided(name.section(QLatin1Char('\n'), 0, 0)) + QLatin1Char('\n') +
                    elided(name.section(QLatin1Char('\n'), 1))
              : painter.fontMetrics().elidedText(line,
                                                 // The number of an IPU is at the end.
                                                 lane.ofSeveral ? Qt::ElideLeft : Qt::ElideRight,
                                                 room.width());
    painter.drawText(room, Qt::AlignRight | Qt::AlignTop, shown);
}

// The first row is beside the name of the lane.
void LaneNames::paintRowNames(QPainter& painter, const LanePlace& place,
                              const TraceLane& lane) const {
    constexpr int overlap = 4; // pixels that lines of text may lack
    if (place.rowHeight < painter.fontMetrics().height() - overlap)
        return; // they would cover each other and the lane's name
    const double top = plot_.axisRect()->top() + place.top;
    for (std::size_t row = 1; row < std::min(lane.rowNames.size(), place.rows); ++row) {
        const QRectF room(0, top + static_cast<double>(row) * place.rowHeight, fieldWidth - 2,
                          place.rowHeight);
        painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(shownName(lane.rowNames[row]),
                                                          Qt::ElideRight, qRound(room.width())));
    }
}

} // namespace tilescope::views
