#include "views/tables/plot_over_table.h"

#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "views/tables/table_panel.h"

namespace tilescope::views {

PlotOverTable::PlotOverTable(QWidget* plot, QTabWidget* tables, double plotShare, QWidget* parent)
    : QSplitter(Qt::Vertical, parent)
    , tables_(tables)
    , plotShare_(plotShare) {
    addWidget(plot);
    addWidget(tables);
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
    connect(tables_, &QTabWidget::currentChanged, this, &PlotOverTable::fit);
    for (TablePanel* panel : tables_->findChildren<TablePanel*>())
        connect(panel, &TablePanel::neededHeightChanged, this, &PlotOverTable::fit);
}

int PlotOverTable::needed() const {
    const auto* panel = qobject_cast<const TablePanel*>(tables_->currentWidget());
    constexpr int all = QWIDGETSIZE_MAX; // anything but a table may take all there is
    return panel == nullptr ? all : panel->neededHeight() + tables_->tabBar()->sizeHint().height();
}

void PlotOverTable::fit() {
    height_ = std::max(height_, needed());
    share();
}

void PlotOverTable::startAnew() {
    height_ = 0;
}

void PlotOverTable::share() {
    if (moved_ || height_ == 0)
        return;
    const int room = height() - handleWidth();
    const int most = static_cast<int>((1 - plotShare_) * height());
    const int tables =
        std::clamp(height_, std::min(most, tables_->minimumSizeHint().height()), most);
    setSizes({room - tables, tables});
}

void PlotOverTable::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    share();
}

} // namespace tilescope::views
