#include "views/plot/trace/cycle_plot.h"

#include "views/plot/axes/tickers.h"
#include "views/theme/text.h"

#include <algorithm>

namespace tilescope::views {
namespace {
constexpr float bandOpacity = 0.12F; // of a marked range: what is below stays readable
}

CyclePlot::CyclePlot(ViewContext& context, QWidget* parent)
    : PlotWidget(context, context.timeZoom, parent)
    , scroll_(new QScrollBar(Qt::Vertical, this)) {
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    xAxis->ticker()->setTickCount(8);
    xAxis->setLabel(tr("Cycles"));
    yAxis->setRangeReversed(true);
    yAxis->setTicks(false);
    yAxis->setTickLabels(false);
    yAxis->grid()->setVisible(false);
    connect(&context.theme, &ThemeSource::changed, this, &PlotWidget::replotSoon);
}

void CyclePlot::setClock(double clockHz) {
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

void CyclePlot::setFlags(std::vector<TraceFlag> flags) {
    flags_ = std::move(flags);
    update();
}

void CyclePlot::resizeEvent(QResizeEvent* event) {
    PlotWidget::resizeEvent(event);
    const int width = scroll_->sizeHint().width();
    scroll_->setGeometry(this->width() - width, 0, width, height());
}

// A line at each end; of a place both are one.
void CyclePlot::paintBand(QPainter& painter, double from, double to) const {
    const QRectF area = axisRect()->rect();
    QColor light = theme().accent;
    light.setAlphaF(bandOpacity);
    const double left = std::max(from, area.left());
    painter.fillRect(QRectF(left, area.top(), std::min(to, area.right()) - left, area.height()),
                     light);
    painter.setPen(QPen(theme().accent, 1));
    for (const double x : {from, to})
        if (x >= area.left() && x <= area.right())
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
}

void CyclePlot::paintFlags(QPainter& painter) const {
    constexpr int padding = 5;
    constexpr int longest = 220; // pixels
    const QRect area = axisRect()->rect();
    double free = area.left();
    for (const TraceFlag& flag : flags_) {
        const double begin = xAxis->coordToPixel(flag.cycle);
        const double end = xAxis->coordToPixel(flag.end());
        if (end < area.left() || begin > area.right())
            continue;
        paintBand(painter, begin, end);
        const double x = std::max(begin, static_cast<double>(area.left()));
        const QFontMetrics metrics = painter.fontMetrics();
        const QString text = metrics.elidedText(shownText(flag.text), Qt::ElideRight, longest);
        QRectF label(x, area.bottom() - metrics.height() - padding,
                     metrics.horizontalAdvance(text) + 2 * padding, metrics.height() + 2);
        if (label.right() > area.right())
            label.moveRight(x);
        if (label.left() < free)
            continue;
        free = label.right();
        painter.fillRect(label, theme().accent);
        painter.setPen(Theme::textOn(theme().accent));
        painter.drawText(label, Qt::AlignCenter, text);
    }
}

} // namespace tilescope::views
