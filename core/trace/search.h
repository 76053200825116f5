// Finding single steps of an execution by index, time or program. Internal to core/trace; see
// TraceIndex for what the functions promise.
#pragma once

#include <cstdint>

#include "core/trace/lanes.h"
#include "core/trace/trace_index.h"

namespace tilescope {

std::int64_t executedSteps(const TraceLanes& lanes);
ExecutedStep executedStep(const TraceLanes& lanes, std::int64_t index);
ExecutedStep executedPlace(const TraceLanes& lanes, std::int64_t index);
std::int64_t executedStepAtCycle(const TraceLanes& lanes, IpuId ipu, std::int64_t cycle);
std::int64_t findExecutedProgram(const TraceLanes& lanes, ProgramId program, std::int64_t from,
                                 bool forward);
std::int64_t findExecutedAny(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t from,
                             bool forward);
std::optional<ExecutedCall> findExecutedCall(const TraceLanes& lanes, ProgramId program);

} // namespace tilescope
