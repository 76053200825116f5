// One step plot, or two below each other that zoom together: stacks of source and target.
#pragma once

#include "views/plot/series/plot_column.h"
#include "views/plot/series/step_plot.h"

namespace tilescope::views {

/// The second plot is hidden if it has no content. Both have the same axes, so that heights and
/// places can be compared; one overview and one legend serve both.
class StepPlotPair : public PlotColumn {
    Q_OBJECT
public:
    StepPlotPair(ViewContext& context, const QString& keyLabel, QWidget* parent = nullptr);

    /// Shows one content, or two under their titles.
    void setContent(StepPlot::Content content);
    void setContents(StepPlot::Content first, const QString& firstTitle, StepPlot::Content second,
                     const QString& secondTitle);
    void setKeyLabel(const QString& label);
    void setValueTitle(const QString& title);
    /// The second plot has marks of its own, as its steps are at other places.
    void setMarkers(const std::vector<PlotWidget::Marker>& first,
                    const std::vector<PlotWidget::Marker>& second);

    [[nodiscard]] StepPlot& first() { return *first_; }
    [[nodiscard]] StepPlot& second() { return *second_; }
    [[nodiscard]] bool showsTwo() const { return two_; }

private:
    void showSecond(bool two);

    StepPlot* first_;
    StepPlot* second_;
    QString keyLabel_;
    bool two_ = false;
    bool following_ = false; ///< one zoom changes because the other has
};

} // namespace tilescope::views
