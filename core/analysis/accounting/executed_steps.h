// How often the steps of a run are executed at each place, without unrolling anything.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/accounting/call_sites.h"
#include "core/trace/lanes.h"

namespace tilescope {

/// All executions of a program at the end of a chain of calls on one IPU. Saturates.
struct ExecutedStepTotal {
    CallSiteId site;
    ProgramId program; ///< none for syncs
    IpuId ipu;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
};

/// Totals of one execution of `body` from outside of all functions, with everything that it calls.
/// One entry for each chain, program and IPU; syncs have no chain.
std::vector<ExecutedStepTotal> executedSteps(const TraceLanes& lanes, TraceBodyId body,
                                             CallSites& sites);

} // namespace tilescope
