// Transfers from stage to stage: copies between IPUs, and tensors that wait on one.
#pragma once

#include "core/target/target.h"
#include "simulator/graph/graph.h"
#include "simulator/schedule/pipeline_schedule.h"

namespace tilescope::sim {

/// Lets operations read tensors of other stages.
/// - From another IPU: a copy from stage to neighbouring stage, as PopART's pipeline requires.
/// - From an earlier stage on the same IPU: a stash and a restore (PopART) or a FIFO (TensorFlow)
///   for the micro-batches between the two. `schedule` is null where nothing overlaps (sharded
///   execution): the tensor itself.
/// Constants are duplicated for each IPU. A weight lives in the stage of its first reader, and all
/// stages on that IPU read it there.
void insertInterIpuCopies(Graph& graph, const PipelineSchedule* schedule);

/// Adds a message for each weight that another IPU reads, which costs a copy every micro-batch:
/// its bytes and cycles, and the device mapping that avoids it. For a graph whose operations have
/// their stages but no copies yet.
void noteSharedWeights(Graph& graph, const Target& target, Schedule schedule, bool isTraining);

} // namespace tilescope::sim
