// Calls beyond those of the trace, which repeat its run at their times.
#pragma once

#include <functional>

#include "core/analysis/hosts/repeated_runs.h"
#include "views/execution/trace_item.h"

namespace tilescope::views {

/// Adds what an IPU does in repeated runs as ghosts: pale copies of the run's boxes, whose steps
/// are those of the run. `read` reads the lane of the trace itself. Costs what is in sight.
void addRepeatedRuns(TraceLane& lane, const RepeatedRuns& repeated, const ItemDetail& detail,
                     const std::function<TraceLane(const ItemDetail&)>& read);

/// A line of the read-out of a ghost.
QString repeatedText();

} // namespace tilescope::views
