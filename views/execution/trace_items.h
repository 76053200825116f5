// The list of what is drawn over the cycles of an execution.
#pragma once

#include "views/execution/trace_item.h"

namespace tilescope::views {

/// The items that a question asks for, from top to bottom: source first, then target, each with its
/// kinds of items one after the other.
TraceItems traceItems(const TraceQuestion& question);
/// Those of them that are lanes of boxes.
TraceItems lanesOf(const TraceQuestion& question);

/// What is to be read of a lane.
enum class LaneWish { Nothing, Rows, Folded };

/// Reads lanes, several at a time. `wishes`: one per lane; lanes beyond its end are read in full.
std::vector<TraceLane> readLanes(const TraceItems& items, const ItemDetail& detail,
                                 const std::vector<LaneWish>& wishes, const std::stop_token& stop);

} // namespace tilescope::views
