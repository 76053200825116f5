// Ways over lanes: where something that is followed runs, one place after the other.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "views/plot/trace/trace_plottable.h"

namespace tilescope::views {

/// A place on a lane.
struct LaneStop {
    std::string key; ///< of the lane
    CycleRange range;
    QString label = {}; ///< "F3"
};

/// Places in the order in which they run.
using LaneWay = std::vector<LaneStop>;

/// From a place to another one, which may be at the same time.
struct LaneFlow {
    LaneStop from, to;
};

/// The cycles of all places by lane, sorted, as TracePlottable::setFollowed() needs them.
SelectedSteps stepsOf(const std::vector<LaneWay>& ways);

/// Outlines places and joins each to the next. Costs what is in sight.
void paintLaneWays(QPainter& painter, const std::vector<LaneWay>& ways, const TracePlottable& lanes,
                   const Theme& theme);
/// Arrows from place to place; places with a label are outlined. Costs what is in sight.
void paintLaneFlows(QPainter& painter, const std::vector<LaneFlow>& flows,
                    const TracePlottable& lanes, const Theme& theme);

} // namespace tilescope::views
