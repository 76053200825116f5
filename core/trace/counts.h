// How often programs are executed, by multiplication instead of unrolling. Internal to
// core/analysis; see TraceIndex for what the functions promise.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/lanes.h"
#include "core/trace/trace_index.h"

namespace tilescope {

std::int64_t countExecuted(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t before);
std::vector<ProgramExecutions> programExecutions(const TraceLanes& lanes, std::size_t programs);
std::vector<ProgramExecutions> bodyExecutions(const TraceLanes& lanes, std::size_t programs);

} // namespace tilescope
