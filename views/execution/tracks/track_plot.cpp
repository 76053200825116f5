#include "views/execution/tracks/track_plot.h"

#include <algorithm>

#include "views/plot/axes/tickers.h"

namespace tilescope::views {
namespace {
constexpr int above = 3; // pixels
constexpr int below = 3;
constexpr double headRoom = 1.04;
constexpr double nearLimit = 0.6; // of a limit: from here on it is in sight
} // namespace

TrackPlot::TrackPlot(ViewContext& context, const CounterTrack& track, QWidget* parent)
    : PlotWidget(context, context.timeZoom, parent)
    , track_(track)
    , curve_(new TrackPlottable(xAxis, yAxis, track, context.theme)) {
    setAccessibleName(tr("%1 over time").arg(track.name()));
    setMinimumHeight(heightFor(font()));
    axisRect()->setMinimumMargins({});
    axisRect()->setAutoMargins(QCP::msNone);
    axisRect()->setMargins({leftMargin, above, rightMargin, below});
    // The grid lines of the lanes' axis continue here, without labels.
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    xAxis->ticker()->setTickCount(8);
    xAxis->setTickLabels(false);
    xAxis->setTickLength(0, 0);
    yAxis->setTicks(false);
    yAxis->setTickLabels(false);
    yAxis->grid()->setVisible(false);
    connect(&context.timeZoom, &ZoomRange::changed, this, &TrackPlot::fitValues);
}

int TrackPlot::heightFor(const QFont& font) {
    return 3 * QFontMetrics(font).height() + above + below;
}

void TrackPlot::updateCurves() {
    fitValues();
    replotSoon();
    updateReadOut();
}

void TrackPlot::setFlags(std::vector<TraceFlag> flags) {
    flags_ = std::move(flags);
    update();
}

void TrackPlot::paintFlags(QPainter& painter) const {
    const QRect plot = axisRect()->rect();
    painter.setPen(QPen(theme().accent, 1));
    for (const TraceFlag& flag : flags_)
        for (const double cycle : {flag.cycle, flag.end()})
            if (const double x = xAxis->coordToPixel(cycle); x >= plot.left() && x <= plot.right())
                painter.drawLine(QPointF(x, 0), QPointF(x, height()));
}

void TrackPlot::fitValues() {
    const ZoomRange& axis = zoom();
    largest_ = {curve_->largestOf(0, axis.from(), axis.to()),
                curve_->largestOf(1, axis.from(), axis.to())};
    double top = std::max(largest_[0], largest_[1]);
    const TrackSide& side = curve_->sides()[0];
    if (side.overview && side.overview->limited && top >= nearLimit * side.overview->whole)
        top = std::max(top, side.overview->whole);
    const double least = std::min(curve_->leastOf(0, axis.from(), axis.to()),
                                  curve_->leastOf(1, axis.from(), axis.to()));
    yAxis->setRange(least * headRoom, top > 0 ? top * headRoom : least < 0 ? 0 : 1);
}

void TrackPlot::paintExtra(QPainter& painter) {
    const QRect plot = axisRect()->rect();
    paintMargin(painter);
    // The limit's value is written in the margin.
    const TrackSide& side = curve_->sides()[0];
    if (side.overview && side.overview->limited && yAxis->range().contains(side.overview->whole)) {
        const int y = qRound(yAxis->coordToPixel(side.overview->whole));
        painter.setPen(QPen(theme().limit, 1, Qt::DashLine));
        painter.drawLine(plot.left(), y, plot.right(), y);
    }
    paintFlags(painter);
    painter.setPen(theme().border);
    painter.drawLine(0, height() - 1, plot.right(), height() - 1);
}

void TrackPlot::paintMargin(QPainter& painter) const {
    constexpr int besidePlot = 6;
    constexpr int keySize = 7;
    const int line = painter.fontMetrics().height();
    const auto write = [&](int at, const QString& text) {
        const QRect place(0, above + at * line, leftMargin - besidePlot, line);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
    };
    painter.setPen(theme().text);
    write(0, track_.name());
    const std::array<TrackSide, 2>& sides = curve_->sides();
    if (!sides[0].overview)
        return;
    painter.setPen(theme().mutedText);
    if (!curve_->comparing()) {
        write(1, track_.shortText(largest_[0], units()));
        return write(2, track_.note(sides[0].overview->whole, units()));
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const int at = static_cast<int>(i) + 1;
        write(at, track_.shortText(largest_[i], units()));
        painter.fillRect(besidePlot, above + at * line + (line - keySize) / 2, keySize, keySize,
                         i == 0 ? theme().source : theme().target);
    }
}

} // namespace tilescope::views
