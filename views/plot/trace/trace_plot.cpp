#include "views/plot/trace/trace_plot.h"

#include <algorithm>
#include <cmath>

#include "views/plot/axes/tickers.h"

namespace tilescope::views {

TracePlot::TracePlot(ViewContext& context, QWidget* parent)
    : PlotWidget(context, context.timeZoom, parent)
    , trace_(new TracePlottable(xAxis, yAxis, context.theme))
    , scroll_(new QScrollBar(Qt::Vertical, this)) {
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    xAxis->ticker()->setTickCount(8);
    xAxis->setLabel(tr("Cycles"));
    yAxis->setRangeReversed(true);
    yAxis->setTicks(false);
    yAxis->setTickLabels(false);
    yAxis->grid()->setVisible(false);
    connect(scroll_, &QScrollBar::valueChanged, this, &TracePlot::showRows);
    connect(&context.theme, &ThemeSource::changed, this, &PlotWidget::replotSoon);
}

void TracePlot::setClock(double clockHz) {
    xAxis2->setVisible(clockHz > 0);
    if (clockHz <= 0)
        return;
    xAxis2->setTicker(QSharedPointer<TimeTicker>::create(clockHz));
    xAxis2->ticker()->setTickCount(8);
    xAxis2->setTickLabels(true);
    xAxis2->setLabel(tr("Time at %1 GHz").arg(clockHz / 1e9, 0, 'g', 4));
    xAxis2->setRange(xAxis->range());
    replotSoon();
}

void TracePlot::setFlags(std::vector<TraceFlag> flags) {
    flags_ = std::move(flags);
    update();
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
    scroll_->setRange(0, std::max(0, content - page));
    scroll_->setPageStep(page);
    scroll_->setSingleStep(rowHeight_);
    scroll_->setVisible(content > page);
    showRows();
}

void TracePlot::showRows() {
    const double first = static_cast<double>(scroll_->value()) / rowHeight_;
    const double page = static_cast<double>(std::max(1, axisRect()->height())) / rowHeight_;
    yAxis->setRange(first, first + page);
    replotSoon();
}

void TracePlot::resizeEvent(QResizeEvent* event) {
    PlotWidget::resizeEvent(event);
    const int width = scroll_->sizeHint().width();
    scroll_->setGeometry(this->width() - width, 0, width, height());
    // The layout of the axes follows on the replot: the height of the rows is known after it.
    replot(QCustomPlot::rpImmediateRefresh);
    updateRows();
}

void TracePlot::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        const int delta =
            event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        scroll_->setValue(scroll_->value() - delta / 2);
        event->accept();
        return;
    }
    PlotWidget::wheelEvent(event);
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
                         QString::fromStdString(lanes[lane].name));
        // The first row stands beside the name of the lane.
        painter.setPen(theme().mutedText);
        const std::vector<std::string>& rowNames = lanes[lane].rowNames;
        for (std::size_t row = 1; row < rowNames.size(); ++row)
            painter.drawText(
                QRectF(0, top + static_cast<double>(row) * rowHeight_, leftMargin - 10, rowHeight_),
                Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(rowNames[row]));
        painter.setPen(theme().border);
        const int line = qRound(bottom + TracePlottable::laneGap * rowHeight_ / 2);
        if (lane + 1 < lanes.size())
            painter.drawLine(0, line, plot.right(), line);
    }
    paintFlags(painter, *this, theme(), flags_);
    painter.setClipping(false);
}

} // namespace tilescope::views
