// Plots as picture files.
#pragma once

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// Asks for a file name and saves the plot as PNG, PDF or JPEG.
void savePlot(PlotWidget& plot, const QString& suggestedName);

} // namespace tilescope::views
