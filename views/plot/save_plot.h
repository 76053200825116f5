// Plots as picture files.
#pragma once

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// Asks for a file name and saves the plot.
void savePlot(PlotWidget& plot, const QString& suggestedName);

/// Saves the plot as the kind that the name ends in: .png, .jpg, .svg or .pdf. Returns what went
/// wrong, or an empty text.
QString savePlotAs(PlotWidget& plot, const QString& file);

} // namespace tilescope::views
