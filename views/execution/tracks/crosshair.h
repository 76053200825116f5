// One line through several plots over the same axis.
#pragma once

#include <QWidget>
#include <vector>

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// Plots whose areas are aligned: while the pointer is in one, a line is drawn in the others. The
/// lines are widgets of their own, so that only what lies below them is repainted.
class Crosshair : public QObject {
    Q_OBJECT
public:
    explicit Crosshair(const ThemeSource& theme, QObject* parent = nullptr);

    void add(PlotWidget& plot);
    void remove(PlotWidget& plot);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void moveTo(const PlotWidget& under, int x);
    void hide();

    struct Line {
        PlotWidget* plot;
        QWidget* line; ///< owned by the plot
    };
    const ThemeSource& theme_;
    std::vector<Line> lines_;
};

} // namespace tilescope::views
