// The programs of the execution modes.
#pragma once

#include "simulator/lowering/places/context.h"
#include "simulator/schedule/execution_schedule.h"

namespace tilescope::sim {

/// A Poplar program of its own (Graph::ownProgram).
void lowerOwnProgram(LoweringContext& context);
/// Programs of the step: on one IPU, or sharded over several of which one works at a time.
void lowerSerial(LoweringContext& context, const ExecutionSchedule& schedule);
/// Phase after phase (see PhasePlan).
void lowerPhased(LoweringContext& context, const ExecutionSchedule& schedule);
/// A pipeline (see PipelineSchedule).
void lowerPipelined(LoweringContext& context, const ExecutionSchedule& schedule);
/// The step program where transfers overlap with computation. The loop over micro-batches is taken
/// apart (PopART's decomposed loops): the first load is before it and the last store after it;
/// in it the load for the next micro-batch and the store of the one before run beside the
/// computation, which is a function. With OverlapInnerLoop this is the loop over the micro-batches
/// of a weight update (without gradient accumulation, and in inference, there is no other than that
/// over device iterations); with OverlapLoops it goes on over weight updates.
void lowerOverlapped(LoweringContext& context, const ExecutionSchedule& schedule);

} // namespace tilescope::sim
