// Activations that wait between the forward and the backward program of a stage.
#pragma once

#include "simulator/graph/graph.h"
#include "simulator/schedule/pipeline_schedule.h"

namespace tilescope::sim {

/// Lets backward operations read activations of their stage's forward program through a buffer of
/// the schedule's depth: a stash and a restore (PopART) or a FIFO (TensorFlow). Views of a tensor
/// share its buffer. Weights and constants stay.
void insertActivationBuffers(Graph& graph, const PipelineSchedule& schedule);

/// The same with a buffer of one micro-batch for every activation, where nothing is pipelined: for
/// activations that are off the chip between the forward and the backward pass.
void insertActivationStores(Graph& graph);

} // namespace tilescope::sim
