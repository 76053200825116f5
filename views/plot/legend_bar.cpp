#include "views/plot/legend_bar.h"

#include <QPainter>

#include "views/plot/plot_widget.h"

namespace tilescope::views {
namespace {
constexpr int swatch = 11;
constexpr int gap = 6;
constexpr int between = 18;
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

std::vector<QPoint> LegendBar::places(int width) const {
    std::vector<QPoint> places;
    QPoint at(left_, 0);
    for (const Entry& entry : entries_) {
        const int needed = swatch + gap + fontMetrics().horizontalAdvance(entry.name);
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

void LegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    const std::vector<QPoint> at = places(width());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const QRect line(at[i], QSize(width(), lineHeight()));
        painter.fillRect(QRect(line.left(), line.center().y() - swatch / 2, swatch, swatch),
                         entries_[i].colour);
        painter.setPen(theme().text);
        painter.drawText(line.adjusted(swatch + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         entries_[i].name);
    }
}

} // namespace tilescope::views
