// Flags on the time axis of a trace: places that the user has marked.
#pragma once

#include <vector>

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// A place on the time axis with what the user wrote there.
struct TraceFlag {
    double cycle = 0;
    QString text;
};

/// Paints lines over the plot with their texts at its foot; a text that would cover the one before
/// is left out.
void paintFlags(QPainter& painter, PlotWidget& plot, const Theme& theme,
                const std::vector<TraceFlag>& flags);

} // namespace tilescope::views
