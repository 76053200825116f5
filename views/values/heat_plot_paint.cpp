// The parts of a heat map around its cells: the scale, the range of half, names.
#include <algorithm>
#include <cmath>

#include "views/plot/axes/axis_labels.h"
#include "views/values/heat_plot.h"

namespace tilescope::views {
namespace {
constexpr int scaleWidth = 120;
constexpr int shortestScale = 40;
constexpr int scaleHeight = 10;
} // namespace

void HeatPlot::paintExtra(QPainter& painter) {
    paintScale(painter);
    if (tensors_)
        return paintNames(painter);
    paintOuterRows(painter);
    paintHalf(painter);
}

// Right in the line above the plot: labels below the bar would need another line. If there is
// little room the words are dropped first, as the read-out has them, too.
void HeatPlot::paintScale(QPainter& painter) const {
    constexpr int gap = 5;
    constexpr int swatch = 14;
    const QRect plot = axisRect()->rect();
    const QFontMetrics metrics = painter.fontMetrics();
    const HeatScale& scale = cells_->scale();
    const std::vector<HeatScale::Label> labels = scale.labels();
    bool hasNone = scale.kind == HeatScale::Kind::Share;
    const QString none = tr("none");
    const auto widthOf = [&](const QString& text) {
        return text.isEmpty() ? 0 : metrics.horizontalAdvance(text) + gap;
    };
    const int forNone = hasNone ? swatch + 2 * gap + widthOf(none) : 0;
    int room = plot.right() - widthOf(valueTitle()) - 3 * gap - scaleWidth -
               widthOf(labels.back().text) - forNone -
               (labels.size() > 1 ? widthOf(labels.front().text) : 0);
    const bool titled = room >= widthOf(scale.title);
    if (hasNone && room < shortestScale - scaleWidth) {
        hasNone = false;
        room += forNone;
    }
    const int barWidth = std::max(shortestScale, scaleWidth + std::min(0, room));
    const int middle = plot.top() - metrics.height() - 3;
    int right = plot.right();
    const auto write = [&](const QString& text) {
        right -= metrics.horizontalAdvance(text);
        painter.setPen(theme().mutedText);
        painter.drawText(QPoint(right, middle + (metrics.ascent() - metrics.descent()) / 2), text);
        right -= gap;
    };
    if (titled && !scale.title.isEmpty())
        write(scale.title);
    write(labels.back().text);
    right -= barWidth;
    for (int x = 0; x < barWidth; ++x)
        painter.fillRect(right + x, middle - scaleHeight / 2, 1, scaleHeight,
                         heatScaleColour(1.0 * x / (barWidth - 1), theme()));
    right -= gap;
    if (labels.size() > 1)
        write(labels.front().text);
    if (!hasNone)
        return;
    right -= gap + swatch;
    painter.fillRect(right, middle - scaleHeight / 2, swatch, scaleHeight, noShareColour(theme()));
    right -= gap;
    write(none);
}

// Zeros and values that are not finite have no exponent: they have rows of their own.
void HeatPlot::paintOuterRows(QPainter& painter) const {
    const QFontMetrics metrics = painter.fontMetrics();
    const auto name = [&](double from, const QString& text) {
        const double y = yAxis->coordToPixel(from + 0.5);
        painter.drawText(
            QRectF(0, y - metrics.height() / 2.0, axisRect()->left() - 9.0, metrics.height()),
            Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setPen(theme().mutedText);
    name(axis_.zeros(), tr("Zero"));
    name(axis_.notFinite(), tr("Overflow"));
}

void HeatPlot::paintHalf(QPainter& painter) const {
    const QRect plot = axisRect()->rect();
    const QFontMetrics metrics = painter.fontMetrics();
    constexpr int padding = 4;
    // Labels are on the side of the line where half has numbers.
    const auto line = [&](int exponent, const QString& text, bool above) {
        const int y = qRound(yAxis->coordToPixel(exponent));
        painter.setPen(QPen(theme().limit, 1, Qt::DashLine));
        painter.drawLine(plot.left(), y, plot.right(), y);
        const int width = metrics.horizontalAdvance(text) + 2 * padding;
        const QRect label(plot.right() - width - 2, above ? y - metrics.height() - 1 : y + 2, width,
                          metrics.height());
        QColor back = theme().surface;
        back.setAlphaF(0.82F);
        painter.fillRect(label, back);
        painter.setPen(theme().text);
        painter.drawText(label, Qt::AlignCenter, text);
    };
    const bool narrow = plot.width() < 260;
    line(half_range::greatest + 1, narrow ? tr("largest half") : tr("largest half, 65,504"), false);
    line(half_range::leastNormal,
         narrow ? tr("least normal")
                : tr("least normal half, %1").arg(powerText(2, half_range::leastNormal)),
         true);
    line(half_range::leastSubnormal,
         narrow ? tr("least half")
                : tr("least half, %1").arg(powerText(2, half_range::leastSubnormal)),
         true);
}

void HeatPlot::paintNames(QPainter& painter) const {
    const QRect plot = axisRect()->rect();
    const QFontMetrics metrics = painter.fontMetrics();
    const std::vector<int> order = cells_->order().value_or(std::vector<int>());
    const double height = std::abs(yAxis->coordToPixel(1) - yAxis->coordToPixel(0));
    painter.save();
    painter.setClipRect(QRect(0, plot.top(), width(), plot.height()));
    const int first = std::max(0, static_cast<int>(std::floor(rows_.from())));
    const int last =
        std::min(static_cast<int>(order.size()) - 1, static_cast<int>(std::ceil(rows_.to())));
    for (int place = first; place <= last; ++place) {
        const int row = order[static_cast<std::size_t>(place)];
        const double top = yAxis->coordToPixel(place);
        if (row == chosen_) {
            const QRectF box(plot.left(), top, plot.width(), std::max(2.0, height - 1));
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme().surface, 4));
            painter.drawRect(box);
            painter.setPen(QPen(theme().accent, 2));
            painter.drawRect(box);
        }
        if (height < metrics.height() || row >= names_.size())
            continue;
        constexpr int beside = 8;
        painter.setPen(row == chosen_ ? theme().accent : theme().text);
        painter.drawText(
            QRectF(2, top, plot.left() - 2 - beside, height), Qt::AlignRight | Qt::AlignVCenter,
            metrics.elidedText(names_[row], Qt::ElideMiddle, plot.left() - 2 - beside));
    }
    painter.restore();
}

} // namespace tilescope::views
