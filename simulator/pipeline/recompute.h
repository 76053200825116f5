// Activations that are recomputed in the backward pass instead of kept.
#pragma once

#include "core/options/memory_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Marks forward operations to run again (Op::recomputeGroup) as PopART's types do
/// (popart recompute.cpp): operations of a group run again together, right before the first
/// backward operation that reads one of their results.
/// - pipeline: all of each stage, except the operations of the last one after its last checkpoints,
///   or all of it without any; a group between checkpoints;
/// - all: all before the last checkpoint, a group between checkpoints;
/// - norm-only: operations of normalisations;
/// - standard: all but about sqrt(n) results with the least live bytes.
/// - none: ONNX nodes annotated with `__recompute_output`.
/// Operations named as checkpoints or annotated not to run again keep their results; a scope named
/// as checkpoint keeps the results that are read outside of it. Updates of running statistics
/// happen once. A message gives the share of the activations read by the backward pass that is
/// recomputed. Throws UserError for a checkpoint that does not exist or a type that the execution
/// does not have.
void markRecomputed(Graph& graph, const MemoryOptions& options, bool isPipelined);

} // namespace tilescope::sim
