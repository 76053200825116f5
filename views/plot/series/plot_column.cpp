#include "views/plot/series/plot_column.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLayout>
#include <algorithm>

namespace tilescope::views {
namespace {
// curves can still be told apart
constexpr int lowest = 70;
} // namespace

PlotColumn::PlotColumn(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
}

void PlotColumn::add(QWidget* side, PlotWidget* plot) {
    side->setParent(this);
    sides_.push_back({side, plot});
    // The height of its axes is known only after it was drawn.
    connect(plot, &QCustomPlot::afterReplot, this, &PlotColumn::arrangeSoon);
}

std::vector<PlotColumn::Side> PlotColumn::shown() const {
    std::vector<Side> shown;
    for (const Side& side : sides_)
        if (!side.widget->isHidden())
            shown.push_back(side);
    return shown;
}

// From the requested sizes rather than the current ones, which may be outdated.
int PlotColumn::around(const Side& side) const {
    const QMargins axes = side.plot->axisRect()->margins();
    int height = axes.top() + axes.bottom();
    if (side.widget == side.plot || side.widget->layout() == nullptr)
        return height;
    const QLayout& layout = *side.widget->layout();
    for (int i = 0; i < layout.count(); ++i) {
        const QLayoutItem* item = layout.itemAt(i);
        if (item->widget() != side.plot && !item->isEmpty())
            height += item->hasHeightForWidth() ? item->heightForWidth(width())
                                                : item->sizeHint().height();
    }
    return height;
}

QSize PlotColumn::sizeHint() const {
    QSize all(0, 0);
    for (const Side& side : shown()) {
        const QSize hint = side.widget->sizeHint();
        all = {std::max(all.width(), hint.width()), all.height() + hint.height()};
    }
    return all;
}

QSize PlotColumn::minimumSizeHint() const {
    QSize all(0, 0);
    for (const Side& side : shown())
        all = {std::max(all.width(), side.widget->minimumSizeHint().width()),
               all.height() + around(side) + lowest};
    return all;
}

bool PlotColumn::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        arrange();
    }
    return QWidget::event(event);
}

std::vector<QRect> PlotColumn::places(const std::vector<Side>& sides) const {
    int free = height();
    for (const Side& side : sides)
        free -= around(side);
    // If less is available than requested, all get equally little.
    const int each = std::max(1, free / std::max(1, static_cast<int>(sides.size())));
    std::vector<QRect> places;
    int top = 0;
    for (const Side& side : sides) {
        // One alone has all of it, to the pixel.
        const int room = sides.size() == 1 ? height() : around(side) + each;
        places.emplace_back(0, top, width(), room);
        top += room;
    }
    return places;
}

void PlotColumn::arrange() {
    const std::vector<Side> sides = shown();
    const std::vector<QRect> at = places(sides);
    for (std::size_t i = 0; i < sides.size(); ++i)
        sides[i].widget->setGeometry(at[i]);
}

// A plot that is being drawn, maybe because it is being resized, cannot be resized again.
void PlotColumn::arrangeSoon() {
    const std::vector<Side> sides = shown();
    const std::vector<QRect> at = places(sides);
    for (std::size_t i = 0; i < sides.size(); ++i)
        if (sides[i].widget->geometry() != at[i])
            return QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
}

} // namespace tilescope::views
