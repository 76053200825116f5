// The plot of an execution: lanes of rows with a scroll bar.
#pragma once

#include "views/plot/trace/cycle_plot.h"
#include "views/plot/trace/trace_plottable.h"

namespace tilescope::views {

/// A CyclePlot with rows of one height, high enough for names; lower ones where all
/// lanes have to be seen at once. Shift-wheel and the scroll bar move the rows, the wheel zooms in
/// time.
class TracePlot : public CyclePlot {
    Q_OBJECT
public:
    explicit TracePlot(ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] TracePlottable& trace() { return *trace_; }
    /// After other lanes were set.
    void updateRows();

    static constexpr int highestRow = 22;
    static constexpr int readableRow = 15; ///< with names
    static constexpr int lowestRow = 6;    ///< colours without names
    /// Rows as low as it takes to see all of them without scrolling.
    void setShowsAllRows(bool all);
    [[nodiscard]] int rowHeight() const { return rowHeight_; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintExtra(QPainter& painter) override;

private:
    void showRows();

    TracePlottable* trace_; ///< owned by the plot
    bool showsAllRows_ = false;
    int rowHeight_ = highestRow;
};

} // namespace tilescope::views
