// One quantity of a training over its weight updates.
#pragma once

#include "views/plot/plot_widget.h"
#include "views/values/curve_content.h"

namespace tilescope::views {

/// A line for each run, over its single calls where it is their mean, with a diamond at the end of
/// each epoch that was evaluated. The target's is dashed: equal lines are seen, too. The vertical
/// axis fits what is in sight of lines and diamonds, so that the end of a training shows its
/// differences, too.
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
    /// Of how many calls the lines are means, at most.
    [[nodiscard]] int meanOf() const { return meanOf_; }
    /// What a run has besides single calls: the lines that are followed, and the ends of epochs.
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
