// Plots below each other whose heights compare.
#pragma once

#include <QWidget>
#include <vector>

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// Equal scales need equal heights inside the axes, not of the widgets with everything around them.
/// A layout could only share what its widgets leave and, where there is little, would give each its
/// own minimum height. Hidden plots take no room.
class PlotColumn : public QWidget {
    Q_OBJECT
public:
    explicit PlotColumn(QWidget* parent = nullptr);

    /// Adds below the others a plot, or a widget that contains it and grows only with it.
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
