// How often programs are executed, by multiplication instead of unrolling. Internal to
// core/analysis; see TraceIndex for what the function promises.
#pragma once

#include <vector>

#include "core/analysis/trace/lanes.h"
#include "core/analysis/trace_window.h"

namespace tilescope {

std::vector<ProgramExecutions> programExecutions(const TraceLanes& lanes, std::size_t programs);

} // namespace tilescope
