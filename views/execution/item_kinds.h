// The kinds of items of the execution trace.
#pragma once

#include "views/execution/trace_item.h"

namespace tilescope::views {

/// Adds each of counterTracks() for a profile with an execution.
void addCounters(TraceItems& items, const TraceQuestion& question, bool target);

/// Adds a lane for the host of a profile if the question has one: rows of the runs, and of stream
/// callbacks, which are derived from the copies of the chosen IPUs. A wait that ends beyond the
/// range read has no steps.
void addHost(TraceItems& items, const TraceQuestion& question, bool target);

/// Adds a lane for each thread of the program on that host; of more than mostThreadLanes for those
/// with the longest outermost calls.
void addHostThreads(TraceItems& items, const TraceQuestion& question, bool target);

/// Lanes of one host that anybody scrolls through.
inline constexpr std::size_t mostThreadLanes = 256;

/// Adds a lane for each IPU that is asked for.
void addIpus(TraceItems& items, const TraceQuestion& question, bool target);

/// Puts them on the axis of the question.
void alignItems(TraceItems& items, const TraceQuestion& question);

} // namespace tilescope::views
