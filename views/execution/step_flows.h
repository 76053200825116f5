// Flows of the selected step, as arrows over the lanes and as links in its details.
#pragma once

#include <QString>
#include <vector>

#include "core/analysis/execution/flows.h"
#include "views/execution/trace_axis.h"
#include "views/plot/trace/lane_ways.h"
#include "views/session/preferences.h"

namespace tilescope::views {

/// The arrows of flows in the execution of the source or target, at their places on the axis.
std::vector<LaneFlow> laneFlows(const Flows& flows, const TraceAxis& axis, bool target);

/// Rich text with a link "step:NUMBER" for each end that is another step; empty without flows.
QString flowLinks(const Flows& flows, std::int64_t step, const Preferences& preferences);

/// The number of a link of flowLinks(); negative for any other.
std::int64_t stepOfLink(const QString& link);

} // namespace tilescope::views
