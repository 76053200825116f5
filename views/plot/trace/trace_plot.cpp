#include "views/plot/trace/trace_plot.h"
#include "views/theme/text.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {

TracePlot::TracePlot(ViewContext& context, QWidget* parent)
    : CyclePlot(context, parent)
    , trace_(new TracePlottable(xAxis, yAxis, context.theme)) {
    connect(&scrollBar(), &QScrollBar::valueChanged, this, &TracePlot::showRows);
}

void TracePlot::setShowsAllRows(bool all) {
    showsAllRows_ = all;
    updateRows();
}

void TracePlot::updateRows() {
    const int page = std::max(1, axisRect()->height());
    const bool several = trace_->overview() &&
                         std::count_if(trace_->overview()->begin(), trace_->overview()->end(),
                                       [](const TraceLane& lane) { return lane.ipu >= 0; }) > 1;
    rowHeight_ = several ? std::clamp(static_cast<int>(page / std::max(1.0, trace_->rowCount())),
                                      showsAllRows_ ? lowestRow : readableRow, highestRow)
                         : highestRow;
    const int content = static_cast<int>(std::ceil(trace_->rowCount() * rowHeight_));
    QScrollBar& scroll = scrollBar();
    scroll.setRange(0, std::max(0, content - page));
    scroll.setPageStep(page);
    scroll.setSingleStep(rowHeight_);
    scroll.setVisible(content > page);
    showRows();
}

void TracePlot::showRows() {
    const double first = static_cast<double>(scrollBar().value()) / rowHeight_;
    const double page = static_cast<double>(std::max(1, axisRect()->height())) / rowHeight_;
    yAxis->setRange(first, first + page);
    replotSoon();
}

void TracePlot::resizeEvent(QResizeEvent* event) {
    CyclePlot::resizeEvent(event);
    // The layout of the axes follows on the replot: the height of the rows is known after it.
    replot(QCustomPlot::rpImmediateRefresh);
    updateRows();
}

void TracePlot::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        const int delta =
            event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        scrollBar().setValue(scrollBar().value() - delta / 2);
        event->accept();
        return;
    }
    CyclePlot::wheelEvent(event);
}

void TracePlot::paintExtra(QPainter& painter) {
    if (!trace_->overview())
        return;
    const auto& lanes = *trace_->overview();
    const QRect plot = axisRect()->rect();
    painter.setClipRect(QRect(0, plot.top(), width(), plot.height()));
    const auto [first, end] = trace_->lanesWithin(yAxis->range().lower, yAxis->range().upper);
    // The line below the lane above the first may be in sight.
    for (std::size_t lane = first - std::min<std::size_t>(first, 1); lane < end; ++lane) {
        const double top = yAxis->coordToPixel(trace_->laneTop(lane));
        const double bottom =
            yAxis->coordToPixel(trace_->laneTop(lane + 1) - TracePlottable::laneGap);
        const QRectF label(0, top, leftMargin - 10,
                           std::max(bottom - top, QFontMetricsF(font()).height()));
        painter.setPen(theme().text);
        painter.drawText(label, Qt::AlignRight | Qt::AlignTop | Qt::TextWordWrap,
                         shownName(lanes[lane].name));
        // The first row is beside the name of the lane.
        painter.setPen(theme().mutedText);
        const std::vector<std::string>& rowNames = lanes[lane].rowNames;
        for (std::size_t row = 1; row < rowNames.size(); ++row) {
            const QRectF place(0, top + static_cast<double>(row) * rowHeight_, leftMargin - 10,
                               rowHeight_);
            painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(
                                 shownName(rowNames[row]), Qt::ElideRight, qRound(place.width())));
        }
        painter.setPen(theme().border);
        const int line = qRound(bottom + TracePlottable::laneGap * rowHeight_ / 2);
        if (lane + 1 < lanes.size())
            painter.drawLine(0, line, plot.right(), line);
    }
    paintFlags(painter);
    painter.setClipping(false);
}

} // namespace tilescope::views
