// What is drawn over the boxes of an execution: names of lanes, what is selected and followed,
// marks.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/plot/trace/lane_names.h"
#include "views/plot/trace/trace_plot.h"

namespace tilescope::views {

void TracePlot::paintMarkers(QPainter& painter) const {
    if (trace_->selected().empty())
        return CyclePlot::paintMarkers(painter);
    constexpr double line = 2; // pixels, and a finer one between it and its neighbours
    painter.setBrush(Qt::NoBrush);
    for (const QRectF& box : trace_->selectedBoxes()) {
        painter.setPen(
            QPen(theme().surface, line + 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(box);
        painter.setPen(QPen(theme().text, line, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(box);
    }
}

// Writes the length of marked ranges at their heads.
void TracePlot::paintLengths(QPainter& painter) const {
    const QRect area = axisRect()->rect();
    const double clock = context().reports.clockHz();
    for (const Marker& marker : markers()) {
        const double left = std::max<double>(area.left(), xAxis->coordToPixel(marker.from));
        const double right = std::min<double>(area.right(), xAxis->coordToPixel(marker.to));
        // A narrow marker is a step, whose length is in the read-out.
        constexpr double narrowest = 24;
        if (right - left < narrowest)
            continue;
        const QString text =
            context().preferences.cycles(std::llround(marker.to - marker.from), clock);
        const QSizeF size(painter.fontMetrics().horizontalAdvance(text) + 10,
                          painter.fontMetrics().height() + 2);
        const double x =
            std::clamp((left + right - size.width()) / 2, static_cast<double>(area.left()),
                       std::max<double>(area.left(), area.right() - size.width()));
        const QRectF label(QPointF(x, area.top() + 4), size);
        painter.setPen(theme().accent);
        painter.setBrush(theme().raised);
        painter.drawRect(label);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(theme().text);
        painter.drawText(label, Qt::AlignCenter, text);
    }
}

void TracePlot::paintExtra(QPainter& painter) {
    if (!trace_->overview())
        return;
    names_->paint(painter, theme());
    const QRect area = axisRect()->rect();
    painter.setClipRect(area);
    paintLaneWays(painter, followed_, *trace_, theme());
    if (followed_.empty() && showsFlows_)
        paintLaneFlows(painter, flows_, *trace_, theme());
    painter.setClipRect(QRect(0, area.top(), width(), area.height()));
    paintFlags(painter);
    paintLengths(painter);
    painter.setClipping(false);
    const std::size_t hidden = hiddenLanes();
    paintAxisNames(painter, hidden > 0 ? tr("hidden: %1").arg(hidden) : QString());
}

} // namespace tilescope::views
