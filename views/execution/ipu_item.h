// Lanes of IPUs in the execution trace.
#pragma once

#include "views/execution/trace_item.h"

namespace tilescope::views {

/// A lane for each IPU that is asked for.
void addIpus(TraceItems& items, const TraceQuestion& question, bool target);

} // namespace tilescope::views
