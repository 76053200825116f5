#include "views/plot/trace/cycle_plot.h"

#include "views/plot/axes/tickers.h"
#include "views/theme/text.h"

#include <algorithm>
#include <utility>

namespace tilescope::views {
namespace {
constexpr float bandOpacity = 0.35F; // of a marked range, so that what is below shows through
constexpr int flagPadding = 5;       // pixels around a text
} // namespace

CyclePlot::CyclePlot(ViewContext& context, QWidget* parent)
    : PlotWidget(context, context.timeZoom, parent)
    , scroll_(new QScrollBar(Qt::Vertical, this)) {
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    xAxis->ticker()->setTickCount(8);
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
    clock_ = tr("%1 GHz").arg(clockHz / 1e9, 0, 'g', 4);
    xAxis2->setRange(xAxis->range());
    replotSoon();
}

void CyclePlot::setLowerName(const QString& name) {
    lower_ = name;
    update();
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

// A line at each end; those of a single place coincide. The band is at the foot, beside the text,
// so that everything above keeps its colours.
void CyclePlot::paintBand(QPainter& painter, double from, double to) const {
    const QRectF area = axisRect()->rect();
    QColor light = theme().accent;
    light.setAlphaF(bandOpacity);
    const QRectF foot = footOf(painter);
    const double left = std::max(from, foot.left());
    painter.fillRect(QRectF(left, foot.top(), std::min(to, foot.right()) - left, foot.height()),
                     light);
    painter.setPen(QPen(theme().accent, 1));
    for (const double x : {from, to})
        if (x >= area.left() && x <= area.right())
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
}

void CyclePlot::paintMarkers(QPainter& painter) const {
    constexpr float dimmed = 0.55F;
    constexpr double cap = 3; // pixels
    const QRectF area = axisRect()->rect();
    QColor veil = theme().surface;
    veil.setAlphaF(dimmed);
    for (const Marker& marker : markers()) {
        const double from = std::clamp(xAxis->coordToPixel(marker.from), area.left(), area.right());
        const double to = std::clamp(xAxis->coordToPixel(marker.to),
                                     std::min(from + 1, area.right()), area.right());
        if (markers().size() == 1) {
            painter.fillRect(QRectF(area.topLeft(), QPointF(from, area.bottom() + 1)), veil);
            painter.fillRect(QRectF(QPointF(to, area.top()), area.bottomRight() + QPointF(1, 1)),
                             veil);
        }
        painter.fillRect(QRectF(from, area.top(), to - from, cap), theme().accent);
        painter.setPen(QPen(theme().accent, 1));
        for (const double x : {marker.from, marker.to})
            if (const double at = xAxis->coordToPixel(x); at >= area.left() && at <= area.right())
                painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
    }
}

QRectF CyclePlot::footOf(const QPainter& painter) const {
    const QRectF area = axisRect()->rect();
    const double height = painter.fontMetrics().height() + 2;
    return {area.left(), area.bottom() - height - flagPadding + 2, area.width(), height};
}

// Beside the labels there is room; a line of its own would take it from the lanes.
void CyclePlot::paintAxisNames(QPainter& painter, const QString& below) const {
    constexpr int fromAxis = 8;
    const QRect area = axisRect()->rect();
    const int height = painter.fontMetrics().height();
    const QRect name(0, 0, widestName, height);
    painter.setPen(theme().mutedText);
    painter.drawText(name.translated(0, area.bottom() + fromAxis), Qt::AlignRight | Qt::AlignTop,
                     below.isEmpty() ? lowerName() : below);
    if (xAxis2->visible())
        painter.drawText(name.translated(0, area.top() - height - fromAxis),
                         Qt::AlignRight | Qt::AlignBottom, upperName());
}

void CyclePlot::paintFlags(QPainter& painter) const {
    constexpr int longest = 220; // pixels
    const QRectF foot = footOf(painter);
    std::vector<std::pair<double, const TraceFlag*>> inSight;
    for (const TraceFlag& flag : flags_) {
        const double begin = xAxis->coordToPixel(flag.cycle);
        const double end = xAxis->coordToPixel(flag.end());
        if (end < foot.left() || begin > foot.right())
            continue;
        paintBand(painter, begin, end);
        inSight.emplace_back(std::max(begin, foot.left()), &flag);
    }
    double free = foot.left();
    for (const auto& [x, flag] : inSight) {
        const QFontMetrics metrics = painter.fontMetrics();
        const QString text = metrics.elidedText(shownText(flag->text), Qt::ElideRight, longest);
        QRectF label(x, foot.top(), metrics.horizontalAdvance(text) + 2 * flagPadding,
                     foot.height());
        if (label.right() > foot.right())
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
