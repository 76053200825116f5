// What the colours of an execution mean.
#pragma once

#include <vector>

#include "views/execution/trace_content.h"
#include "views/plot/legend_bar.h"

namespace tilescope::views {

/// The kinds of steps, and what the host (`host`: it is shown) or tiles wait for.
std::vector<LegendBar::Entry> traceLegend(const Theme& theme, TraceLook look, bool host);

} // namespace tilescope::views
