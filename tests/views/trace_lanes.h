// The lanes of an execution, read as the window reads them.
#pragma once

#include "views/execution/trace_items.h"

namespace tilescope::test {

/// In full; boxes shorter than `minimumCycles` may be merged.
inline std::vector<views::TraceLane> traceLanes(const views::TraceQuestion& question,
                                                CycleRange range, std::int64_t minimumCycles) {
    return views::readLanes(views::lanesOf(question), {range, minimumCycles}, {}, {});
}

} // namespace tilescope::test
