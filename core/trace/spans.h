// What a range of the execution shows at a level of detail. Internal to core/trace; see
// TraceIndex::spans for what it promises.
#pragma once

#include "core/trace/lanes.h"
#include "core/trace/trace_index.h"

namespace tilescope {

std::vector<TraceSpan> collectSpans(const TraceLanes& lanes, IpuId ipu, CycleRange range,
                                    std::int64_t minimumCycles);

} // namespace tilescope
