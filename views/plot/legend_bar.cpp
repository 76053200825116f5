#include "views/plot/legend_bar.h"

#include <QLinearGradient>
#include <QPainter>
#include <array>

#include "views/plot/plot_widget.h"

namespace tilescope::views {
namespace {
constexpr int swatch = 11;
constexpr int gap = 6;
constexpr int between = 18;
constexpr int scaleLength = 160;

void paintMark(QPainter& painter, const QRect& place, const LegendBar::Entry& entry) {
    constexpr int lineWidth = 3;
    const QRectF box(place);
    switch (entry.mark) {
    case LegendBar::Mark::DashedLine:
        for (const double from : {box.left(), box.left() + box.width() * 2 / 3})
            painter.fillRect(
                QRectF(from, box.center().y() - lineWidth / 2.0, box.width() / 3, lineWidth),
                entry.colour);
        return;
    case LegendBar::Mark::Line:
        painter.fillRect(
            QRectF(box.left(), box.center().y() - lineWidth / 2.0, box.width(), lineWidth),
            entry.colour);
        return;
    case LegendBar::Mark::Diamond: {
        const auto corners = std::to_array<QPointF>({{box.center().x(), box.top()},
                                                     {box.right(), box.center().y()},
                                                     {box.center().x(), box.bottom()},
                                                     {box.left(), box.center().y()}});
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.colour);
        painter.drawConvexPolygon(corners.data(), static_cast<int>(corners.size()));
        painter.restore();
        return;
    }
    case LegendBar::Mark::Circle:
    case LegendBar::Mark::Ring:
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(entry.colour, 2));
        painter.setBrush(entry.mark == LegendBar::Mark::Ring ? QBrush(Qt::NoBrush)
                                                             : QBrush(entry.colour));
        painter.drawEllipse(box.adjusted(1, 1, -1, -1));
        painter.restore();
        return;
    case LegendBar::Mark::Square:
    case LegendBar::Mark::Scale: // see paintScale()
        break;
    }
    painter.fillRect(place, entry.colour);
    if (!entry.edge.isValid())
        return;
    painter.setPen(entry.edge);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
}

} // namespace

LegendBar::LegendBar(ViewContext& context, QWidget* parent)
    : PaintedWidget(context, parent)
    , left_(PlotWidget::leftMargin) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void LegendBar::setEntries(std::vector<Entry> entries) {
    entries_ = std::move(entries);
    updateGeometry();
    update();
}

void LegendBar::setLeft(int left) {
    left_ = left;
    update();
}

int LegendBar::widthOf(const Entry& entry) const {
    const int name = fontMetrics().horizontalAdvance(entry.name);
    if (entry.mark != Mark::Scale)
        return swatch + gap + name;
    return name + gap + scaleLength + gap + fontMetrics().horizontalAdvance(entry.end);
}

std::vector<QPoint> LegendBar::places(int width) const {
    std::vector<QPoint> places;
    QPoint at(left_, 0);
    for (const Entry& entry : entries_) {
        const int needed = widthOf(entry);
        if (at.x() > left_ && at.x() + needed > width - PlotWidget::rightMargin)
            at = QPoint(left_, at.y() + lineHeight());
        places.push_back(at);
        at.rx() += needed + between;
    }
    places.push_back(at);
    return places;
}

int LegendBar::heightForWidth(int width) const {
    return places(width).back().y() + lineHeight();
}

QSize LegendBar::sizeHint() const {
    return {300, heightForWidth(std::max(width(), 300))};
}

void LegendBar::paintScale(QPainter& painter, const QRect& line, const Entry& entry) const {
    painter.setPen(theme().text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, entry.name);
    const QRect bar(line.left() + fontMetrics().horizontalAdvance(entry.name) + gap,
                    line.center().y() - swatch / 2, scaleLength, swatch);
    QLinearGradient colours(bar.topLeft(), bar.topRight());
    for (std::size_t i = 0; i < entry.scale.size(); ++i)
        colours.setColorAt(static_cast<double>(i) /
                               std::max(1.0, static_cast<double>(entry.scale.size()) - 1),
                           entry.scale[i]);
    painter.fillRect(bar, colours);
    painter.drawText(line.adjusted(bar.right() + gap - line.left(), 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, entry.end);
}

void LegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    const std::vector<QPoint> at = places(width());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const QRect line(at[i], QSize(width(), lineHeight()));
        if (entries_[i].mark == Mark::Scale) {
            paintScale(painter, line, entries_[i]);
            continue;
        }
        paintMark(painter, QRect(line.left(), line.center().y() - swatch / 2, swatch, swatch),
                  entries_[i]);
        painter.setPen(theme().text);
        painter.drawText(line.adjusted(swatch + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         entries_[i].name);
    }
}

} // namespace tilescope::views
