// Plots below each other whose heights compare.
#pragma once

#include <QWidget>
#include <vector>

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// Equal scales need equal heights: of what is inside the axes, not of the widgets with what is
/// around it. A layout could only share what its widgets leave, and where there is little it would
/// give each its own least height. Plots that are hidden take no room.
class PlotColumn : public QWidget {
    Q_OBJECT
public:
    explicit PlotColumn(QWidget* parent = nullptr);

    /// A plot, or a widget with it in a column that grows with it alone; from the top down.
    void add(QWidget* side, PlotWidget* plot);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent*) override { arrange(); }

private:
    struct Side {
        QWidget* widget = nullptr;
        PlotWidget* plot = nullptr;
    };
    void arrange();
    void arrangeSoon();
    [[nodiscard]] int around(const Side& side) const;
    [[nodiscard]] std::vector<Side> shown() const;
    [[nodiscard]] std::vector<QRect> places(const std::vector<Side>& sides) const;

    std::vector<Side> sides_;
};

} // namespace tilescope::views
