// One quantity of a training over its weight updates.
#pragma once

#include "views/plot/plot_widget.h"
#include "views/values/curve_content.h"

namespace tilescope::views {

/// A line for each run, over its single calls if it is their mean, with a diamond at the end of
/// each epoch that was evaluated. The target's is dashed, so that equal lines are visible. The
/// vertical axis fits the visible parts of lines and diamonds, so that differences at the end of a
/// training show.
class CurvePlot : public PlotWidget {
    Q_OBJECT
public:
    CurvePlot(ViewContext& context, ZoomRange& zoom, CurveQuantity quantity,
              QWidget* parent = nullptr);

    /// Source and target; the latter may be empty.
    void setLines(const CurveLine& source, const CurveLine& target);
    /// Numbers and the name of the horizontal axis, which plots below each other share.
    void showKeys(bool shown);
    [[nodiscard]] CurveQuantity quantity() const { return quantity_; }
    /// The most calls that a point of the lines is a mean of.
    [[nodiscard]] int meanOf() const { return meanOf_; }
    /// The graphs of a run: single calls, the line that the eye follows, and the ends of epochs.
    enum Graph { Calls, Means, Marks, GraphsOfRun };
    /// The colour of single calls behind their means.
    static QColor pale(const QColor& colour, const Theme& theme);

    /// Room left of the plot.
    static constexpr int left = 62;

private:
    void fill(int run, const CurveLine& line);
    void style();
    void fitKeys();
    void fitValues();

    CurveQuantity quantity_;
    int meanOf_ = 1;
};

} // namespace tilescope::views
