// The mini-map above an execution.
#pragma once

#include "views/plot/overview_strip.h"
#include "views/plot/trace/cycle_plot.h"
#include "views/plot/trace/trace_rows.h"

namespace tilescope::views {

/// An OverviewStrip of the time zoom with a line of colours for each lane.
class TraceStrip : public OverviewStrip {
    Q_OBJECT
public:
    explicit TraceStrip(ViewContext& context, QWidget* parent = nullptr);

    /// One row for each lane, from top to bottom.
    void setRows(SharedRows rows);
    /// The user's marks, as flags at the top.
    void setFlags(std::vector<TraceFlag> flags);

private:
    void paintRows(QPainter& painter, const QRect& rect) const;

    void paintFlags(QPainter& painter, const QRect& rect) const;

    SharedRows rows_;
    std::vector<TraceFlag> flags_;
};

} // namespace tilescope::views
