// What PlotWidget paints over the finished plot: markers, limit line, crosshair and read-out.
#include "views/plot/plot_widget.h"

namespace tilescope::views {

void PlotWidget::paintOverlay(QPainter& painter) {
    const QRect plot = axisRect()->rect();
    painter.setFont(font());
    paintExtra(painter);
    painter.save();
    painter.setClipRect(plot);
    paintSections(painter);
    paintMarkers(painter);
    paintRangeSelection(painter);
    if (pointer_ && !dragging_) {
        painter.setPen(QPen(theme().mutedText, 1, Qt::DotLine));
        painter.drawLine(pointer_->x(), plot.top(), pointer_->x(), plot.bottom());
    }
    painter.restore();
    paintLimit(painter);
    paintValueTitle(painter);
    if (const auto readOut = readOutBox())
        paintReadOut(painter, *readOut);
    if (window()->property(showFrameTimesProperty).toBool())
        paintFrameTime(painter);
}

// Borders are lines. The name is at the foot, in the middle of the visible part of a section: the
// head is for the limit.
void PlotWidget::paintSections(QPainter& painter) const {
    const QRect plot = axisRect()->rect();
    for (const Section& section : sections_) {
        const double left = std::max<double>(plot.left(), xAxis->coordToPixel(section.from));
        const double right = std::min<double>(plot.right(), xAxis->coordToPixel(section.to));
        if (right <= left)
            continue;
        if (left > plot.left()) {
            painter.setPen(QPen(theme().mutedText, 1, Qt::DashLine));
            painter.drawLine(QPointF(left, plot.top()), QPointF(left, plot.bottom()));
        }
        const QRect text = painter.fontMetrics().boundingRect(section.name);
        if (text.width() + 12 > right - left)
            continue;
        const QRectF label((left + right) / 2 - text.width() / 2.0 - 5,
                           plot.bottom() - text.height() - 6, text.width() + 10, text.height() + 2);
        QColor back = theme().surface;
        back.setAlphaF(0.8F);
        painter.fillRect(label, back);
        painter.setPen(theme().text);
        painter.drawText(label, Qt::AlignCenter, section.name);
    }
}

void PlotWidget::paintMarkers(QPainter& painter) const {
    const QRect plot = axisRect()->rect();
    QColor fill = theme().accent;
    fill.setAlphaF(0.22F);
    for (const Marker& marker : markers_) {
        const double x0 = xAxis->coordToPixel(marker.from);
        const double width = std::max(2.0, xAxis->coordToPixel(marker.to) - x0);
        painter.fillRect(QRectF(x0, plot.top(), width, plot.height()), fill);
        painter.fillRect(QRectF(x0, plot.top(), width, 3), theme().accent);
    }
}

void PlotWidget::paintLimit(QPainter& painter) const {
    if (!limit_ || limit_->value < yAxis->range().lower)
        return;
    const bool inSight = limit_->value <= yAxis->range().upper;
    if (!inSight && !limit_->alsoAbove)
        return;
    const QRect plot = axisRect()->rect();
    const int y = inSight ? qRound(yAxis->coordToPixel(limit_->value)) : plot.top();
    if (inSight) {
        painter.setPen(QPen(theme().limit, 1, Qt::DashLine));
        painter.drawLine(plot.left(), y, plot.right(), y);
    }
    // An arrow in the label says that the line is far above the visible range.
    const QString words = inSight ? limit_->label : QStringLiteral("\u2191 ") + limit_->label;
    const QRect text = painter.fontMetrics().boundingRect(words);
    const QRect label(plot.right() - text.width() - 10, y + 2, text.width() + 8, text.height() + 2);
    QColor back = theme().surface;
    back.setAlphaF(0.85F);
    painter.fillRect(label, back);
    painter.setPen(theme().text);
    painter.drawText(label, Qt::AlignCenter, words);
}

void PlotWidget::paintValueTitle(QPainter& painter) const {
    constexpr int besideAxis = 6;
    const QRect plot = axisRect()->rect();
    const int height = painter.fontMetrics().height();
    painter.setPen(theme().mutedText);
    painter.drawText(
        QRect(besideAxis, plot.top() - height - height / 2 - 3, width() - besideAxis, height),
        Qt::AlignLeft | Qt::AlignVCenter, valueTitle_);
}

void PlotWidget::paintRangeSelection(QPainter& painter) const {
    if (!pressed_ || !dragging_ || !selectingRange_ || !pointer_)
        return;
    const QRect plot = axisRect()->rect();
    QColor fill = theme().accent;
    fill.setAlphaF(0.18F);
    painter.fillRect(
        QRect(QPoint(pressed_->x(), plot.top()), QPoint(pointer_->x(), plot.bottom())).normalized(),
        fill);
}

std::optional<ReadOutBox> PlotWidget::readOutBox() const {
    constexpr int margin = 2;
    if (readOutText_.isEmpty() || !pointer_ || dragging_)
        return {};
    // Axis labels are to the left; there is room above and below the axes.
    const QRect plot = axisRect()->rect();
    const QRect room(plot.left(), margin, plot.width(), height() - 2 * margin);
    return layOutReadOut(readOutText_, *pointer_, room, fontMetrics());
}

void PlotWidget::paintReadOut(QPainter& painter, const ReadOutBox& readOut) const {
    constexpr double corner = 5;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().border);
    painter.setBrush(theme().raised);
    painter.drawRoundedRect(QRectF(readOut.box).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
    painter.setPen(theme().text);
    for (const ReadOutBox::Line& line : readOut.lines) {
        painter.drawText(line.namePlace, Qt::AlignLeft | Qt::AlignVCenter, line.name);
        painter.drawText(line.valuePlace, Qt::AlignRight | Qt::AlignVCenter, line.value);
    }
}

void PlotWidget::paintFrameTime(QPainter& painter) const {
    const FrameTimes& times = context_.frameTimes;
    const QString text =
        tr("%1 ms, longest %2 ms").arg(times.last(), 0, 'f', 1).arg(times.longest(), 0, 'f', 1);
    // With a background of its own, as the plot may have any colour.
    const QSize room = painter.fontMetrics().size(0, text) + QSize(12, 6);
    const QRect box(axisRect()->rect().topLeft() + QPoint(4, 4), room);
    painter.fillRect(box, theme().raised);
    painter.setPen(times.longest() > FrameTimes::budgetMs ? theme().bad : theme().good);
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace tilescope::views
