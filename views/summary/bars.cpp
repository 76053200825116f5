#include "views/summary/bars.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {
constexpr int barRow = 26;
constexpr int leastNameWidth = 130;
constexpr int valueWidth = 130;
} // namespace

NamedBars::NamedBars(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void NamedBars::setBars(std::vector<Bar> bars, std::int64_t limit, Unit unit) {
    bars_ = std::move(bars);
    limit_ = limit;
    unit_ = unit;
    updateGeometry();
    update();
}

QSize NamedBars::sizeHint() const {
    return {380, static_cast<int>(bars_.size()) * barRow + 4};
}

// As wide as the names are, up to half of the widget.
int NamedBars::nameWidth() const {
    int widest = leastNameWidth;
    for (const Bar& bar : bars_)
        widest = std::max(widest, fontMetrics().horizontalAdvance(shownText(bar.name)) + 16);
    return std::min(widest, std::max(leastNameWidth, (width() - valueWidth) / 2));
}

void NamedBars::paintEvent(QPaintEvent*) {
    const int nameWidth = this->nameWidth();
    QPainter painter(this);
    std::int64_t largest = std::max<std::int64_t>(limit_, 1);
    for (const Bar& bar : bars_)
        largest = std::max(largest, bar.value);
    const int room = std::max(10, width() - nameWidth - valueWidth);
    const double scale = static_cast<double>(room) / static_cast<double>(largest);
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const Bar& bar = bars_[i];
        const QRect row(0, static_cast<int>(i) * barRow, width(), barRow);
        painter.setPen(theme().text);
        painter.drawText(
            row.adjusted(0, 0, -(width() - nameWidth + 10), 0), Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(shownText(bar.name), Qt::ElideMiddle, nameWidth - 10));
        const QRect track(nameWidth, row.top() + 6, room, barRow - 12);
        painter.fillRect(track, theme().raised);
        painter.fillRect(track.left(), track.top(),
                         static_cast<int>(static_cast<double>(bar.value) * scale), track.height(),
                         bar.value > limit_ && limit_ > 0 ? theme().bad : bar.colour);
        painter.setPen(bar.value > limit_ && limit_ > 0 ? theme().bad : theme().text);
        painter.drawText(
            row, Qt::AlignRight | Qt::AlignVCenter,
            cellText(bar.value, unit_, context().preferences, context().reports.clockHz()));
        if (limit_ > 0) {
            const int x = track.left() + static_cast<int>(static_cast<double>(limit_) * scale) - 1;
            painter.fillRect(x, track.top() - 3, 1, track.height() + 6, theme().limit);
        }
    }
}

void NamedBars::mousePressEvent(QMouseEvent* event) {
    const auto row = static_cast<std::size_t>(std::max(0, event->pos().y() / barRow));
    if (row < bars_.size() && bars_[row].id >= 0)
        emit clicked(bars_[row].id);
}

std::vector<std::int64_t> histogramOf(const std::vector<std::int64_t>& values, std::int64_t limit,
                                      int buckets) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(buckets) + 1, 0);
    for (const std::int64_t value : values) {
        const bool beyond = value > limit || limit <= 0;
        // A value at the limit still fits: it belongs to the last bucket below.
        const auto at =
            beyond ? buckets : std::min<std::int64_t>(value * buckets / limit, buckets - 1);
        ++counts[static_cast<std::size_t>(at)];
    }
    return counts;
}

Histogram::Histogram(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent) {
    setMinimumHeight(150);
}

void Histogram::setSeries(std::vector<Series> series, std::int64_t limit) {
    series_ = std::move(series);
    limit_ = limit;
    update();
}

void Histogram::paintEvent(QPaintEvent*) {
    if (series_.empty() || series_.front().counts.empty())
        return;
    QPainter painter(this);
    const int textHeight = painter.fontMetrics().height();
    std::int64_t most = 1;
    for (const Series& series : series_)
        most = std::max(most, *std::max_element(series.counts.begin(), series.counts.end()));
    const QString mostText = countText(most);
    constexpr int besideAxis = 6;
    constexpr int leastRoom = 42;
    const int room = std::max(leastRoom, painter.fontMetrics().horizontalAdvance(mostText) + 2);
    const QRect plot = rect().adjusted(room + besideAxis, 8, -8, -textHeight - 8);
    painter.setPen(theme().mutedText);
    const auto label = [&](int middle, const QString& text) {
        painter.drawText(QRect(0, middle - textHeight / 2, room, textHeight), Qt::AlignRight, text);
    };
    label(plot.top(), mostText);
    label(plot.center().y(), tr("Tiles"));
    label(plot.bottom(), QStringLiteral("0"));
    painter.fillRect(plot.left(), plot.bottom(), plot.width(), 1, theme().border);
    const auto buckets = series_.front().counts.size();
    const double slot = static_cast<double>(plot.width()) / static_cast<double>(buckets);
    const double width = (slot - 3) / static_cast<double>(series_.size());
    for (std::size_t s = 0; s < series_.size(); ++s)
        for (std::size_t i = 0; i < buckets; ++i) {
            const std::int64_t count = series_[s].counts[i];
            const double height =
                static_cast<double>(count) / static_cast<double>(most) * plot.height();
            const QRectF bar(plot.left() + slot * static_cast<double>(i) +
                                 width * static_cast<double>(s),
                             plot.bottom() - std::max(height, count > 0 ? 2.0 : 0.0), width,
                             std::max(height, count > 0 ? 2.0 : 0.0));
            painter.fillRect(bar, i + 1 == buckets ? theme().bad : series_[s].colour);
        }
    const double limitX = plot.left() + slot * static_cast<double>(buckets - 1) - 1;
    painter.fillRect(QRectF(limitX, plot.top(), 1, plot.height()), theme().limit);
    const QRect labels(plot.left(), plot.bottom() + 4, plot.width(), textHeight);
    painter.drawText(labels, Qt::AlignLeft, QStringLiteral("0"));
    painter.drawText(
        QRect(labels.left(), labels.top(), static_cast<int>(limitX) - labels.left(), textHeight),
        Qt::AlignRight, context().preferences.bytes(limit_));
    painter.drawText(labels, Qt::AlignHCenter, tr("Memory of a tile"));
}

} // namespace tilescope::views
