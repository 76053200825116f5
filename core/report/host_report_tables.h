// Tables of the host's lanes, shared by two reports.
#pragma once

#include <vector>

#include "core/analysis/hosts/host_timeline.h"
#include "core/table/table.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// Seconds from where the first run begins: what was before is negative. `programs`: how many there
/// are.
Table hostLanesTable(const HostTimeline& host, std::size_t programs);
Table hostWaitsTable(const HostTimeline& host, const TraceIndex& index,
                     const std::vector<IpuId>& ipus);

} // namespace tilescope
