// Finds single steps of an execution by index, time or program, counts them by multiplication
// instead of unrolling, and yields what a range shows at a level of detail. Internal to core/trace;
// see TraceIndex for the contracts of the functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/trace/lanes.h"
#include "core/trace/trace_index.h"

namespace tilescope {

void requireIpu(const TraceLanes& lanes, IpuId ipu);

std::int64_t executedSteps(const TraceLanes& lanes);
ExecutedStep executedStep(const TraceLanes& lanes, std::int64_t index);
ExecutedStep executedPlace(const TraceLanes& lanes, std::int64_t index);
std::int64_t executedStepAtCycle(const TraceLanes& lanes, IpuId ipu, std::int64_t cycle);
std::int64_t findExecutedProgram(const TraceLanes& lanes, ProgramId program, std::int64_t from,
                                 bool forward);
std::int64_t findExecutedAny(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t from,
                             bool forward);
std::optional<ExecutedCall> findExecutedCall(const TraceLanes& lanes, ProgramId program);

std::int64_t countExecuted(const TraceLanes& lanes, const ProgramSet& wanted, std::int64_t before);
std::vector<ProgramExecutions> programExecutions(const TraceLanes& lanes, std::size_t programs);
/// Calls visit(body, how often it is executed), callers first.
void forEachBody(const TraceLanes& lanes,
                 const std::function<void(TraceBodyId, std::int64_t)>& visit);
std::vector<ProgramExecutions> bodyExecutions(const TraceLanes& lanes, std::size_t programs);

std::vector<TraceSpan> collectSpans(const TraceLanes& lanes, IpuId ipu, CycleRange range,
                                    std::int64_t minimumCycles);

} // namespace tilescope
