#include "views/sweep/front_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {
namespace {

// Lengths in pixels.
constexpr int plotMargin = 12;
constexpr int frontLabelGap = 6;
constexpr double dotRadius = 4; ///< radius
constexpr double frontDot = 5.5;
constexpr double clickReach = 14; ///< of a click
constexpr int wantedTicks = 4;    ///< about as many on each axis

QString rateText(double rate) {
    return QString::fromStdString(formatRate(rate));
}

} // namespace

std::vector<FrontPoint> frontPoints(const SweepResults& results) {
    std::vector<FrontPoint> points;
    for (std::size_t i = 0; i < results.points.size(); ++i)
        if (const auto& result = results.points[i];
            result && result->memory && result->time && result->status == PointStatus::Fits)
            points.push_back(
                {i, result->memory->maxTileIncludingGaps, result->time->throughput, false});
    std::sort(points.begin(), points.end(), [](const FrontPoint& a, const FrontPoint& b) {
        return a.memory != b.memory ? a.memory < b.memory : a.throughput > b.throughput;
    });
    double best = 0;
    for (FrontPoint& point : points) {
        point.onFront = point.throughput > best;
        best = std::max(best, point.throughput);
    }
    return points;
}

FrontPlot::FrontPlot(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setAccessibleName(tr("Throughput over memory"));
    setMinimumSize(220, 160);
}

void FrontPlot::setPoints(std::vector<FrontPoint> points, std::vector<QString> names) {
    points_ = std::move(points);
    names_ = std::move(names);
    mostMemory_ = 1;
    mostThroughput_ = 1;
    for (const FrontPoint& point : points_) {
        mostMemory_ = std::max(mostMemory_, point.memory);
        mostThroughput_ = std::max(mostThroughput_, point.throughput);
    }
    // Points that differ little in memory would be on top of each other on an axis from 0.
    std::int64_t least = mostMemory_;
    for (const FrontPoint& point : points_)
        least = std::min(least, point.memory);
    const auto most = static_cast<double>(mostMemory_);
    const double span = most - static_cast<double>(least);
    constexpr double narrow = 0.5;   // of the largest
    constexpr double atLeast = 0.02; // likewise, below the smallest
    axisBegin_ =
        span < narrow * most
            ? std::max(0.0, static_cast<double>(least) - std::max(span / 2, atLeast * most))
            : 0;
    update();
}

void FrontPlot::setCurrent(std::int64_t point) {
    current_ = point;
    update();
}

QRectF FrontPlot::plot() const {
    const QFontMetrics metrics = fontMetrics();
    const double left =
        plotMargin + metrics.horizontalAdvance(rateText(mostThroughput_)) + frontLabelGap;
    const double top = plotMargin + metrics.height() + 8;
    const double below = 2 * metrics.height() + 10;
    return {left, top, std::max(1.0, width() - left - 3 * plotMargin),
            std::max(1.0, height() - top - below)};
}

QPointF FrontPlot::placeOf(const FrontPoint& point) const {
    const QRectF area = plot();
    constexpr double above = 1.05; // room beyond the largest
    const double x = (static_cast<double>(point.memory) - axisBegin_) /
                     (above * (static_cast<double>(mostMemory_) - axisBegin_));
    const double y = point.throughput / (above * mostThroughput_);
    return {area.left() + x * area.width(), area.bottom() - y * area.height()};
}

const FrontPoint* FrontPlot::at(QPointF position) const {
    const FrontPoint* nearest = nullptr;
    double least = clickReach;
    for (const FrontPoint& point : points_) {
        const QPointF between = placeOf(point) - position;
        const double distance = std::hypot(between.x(), between.y());
        if (distance < least) {
            least = distance;
            nearest = &point;
        }
    }
    return nearest;
}

void FrontPlot::paintAxes(QPainter& painter) const {
    const QRectF area = plot();
    const QFontMetrics metrics = fontMetrics();
    const int height = metrics.height();
    painter.setPen(theme().mutedText);
    painter.drawText(QPointF(plotMargin, plotMargin + metrics.ascent()), tr("Samples a second"));
    painter.drawText(QRectF(area.left(), this->height() - height - 4, area.width(), height),
                     Qt::AlignCenter, tr("Memory of the fullest tile"));
    const double rateStep = integerTickStep(mostThroughput_, wantedTicks);
    for (double rate = 0; rate <= mostThroughput_; rate += rateStep) {
        const double y = placeOf({0, 0, rate, false}).y();
        painter.setPen(theme().grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme().mutedText);
        painter.drawText(QRectF(0, y - height / 2.0, area.left() - frontLabelGap, height),
                         Qt::AlignRight | Qt::AlignVCenter, rateText(rate));
    }
    const ByteUnits units = context().preferences.byteUnits();
    const double step =
        byteTickStep(static_cast<double>(mostMemory_) - axisBegin_, wantedTicks, units);
    QVector<double> places;
    for (double bytes = std::ceil(axisBegin_ / step) * step;
         bytes <= static_cast<double>(mostMemory_); bytes += step)
        places.append(bytes);
    const QVector<QString> labels = byteLabels(places, step, units);
    for (qsizetype i = 0; i < places.size(); ++i) {
        const double x = placeOf({0, std::llround(places[i]), 0, false}).x();
        painter.setPen(theme().grid);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(theme().mutedText);
        constexpr double half = 60;
        painter.drawText(QRectF(x - half, area.bottom() + 3, 2 * half, height), Qt::AlignCenter,
                         labels[i]);
    }
}

void FrontPlot::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    painter.setRenderHint(QPainter::Antialiasing);
    if (points_.empty()) {
        painter.setPen(theme().mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("No point was executed"));
        return;
    }
    paintAxes(painter);
    QPolygonF front;
    for (const FrontPoint& point : points_)
        if (point.onFront)
            front << placeOf(point);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawPolyline(front);
    for (const FrontPoint& point : points_) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(point.onFront ? theme().accent : theme().mutedText);
        const double radius = point.onFront ? frontDot : dotRadius;
        painter.drawEllipse(placeOf(point), radius, radius);
    }
    for (const FrontPoint& point : points_)
        if (static_cast<std::int64_t>(point.point) == current_) {
            painter.setPen(QPen(theme().target, 3));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(placeOf(point), frontDot + 4, frontDot + 4);
        }
}

void FrontPlot::mousePressEvent(QMouseEvent* event) {
    if (const FrontPoint* point = at(event->position()))
        emit chosen(point->point);
}

QString FrontPlot::toolTipAt(const QPoint& position) const {
    const FrontPoint* point = at(position);
    if (point == nullptr)
        return {};
    const QString text = tr("%1\n%2 samples a second, fullest tile %3")
                             .arg(names_.at(point->point), rateText(point->throughput),
                                  context().preferences.bytes(point->memory));
    return point->onFront ? tr("%1\nNo point has more in as little memory").arg(text) : text;
}

} // namespace tilescope::views
