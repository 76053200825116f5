// Activations that are computed again in the backward pass instead of kept.
#pragma once

#include "core/options/memory_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Marks forward operations to run again (Op::recomputeGroup) as PopART's types do
/// (popart recompute.cpp): operations of a group run again together, right before the first
/// backward operation that reads one of their results.
/// - pipeline: all of each stage, but of the last what lies behind its last checkpoints, or all of
/// it
///   without any; a group between checkpoints;
/// - all: all before the last checkpoint, a group between checkpoints;
/// - norm-only: what belongs to normalisations;
/// - standard: all but about sqrt(n) results with the least live bytes.
/// - none: what ONNX nodes annotate with `__recompute_output`.
/// Operations named as checkpoints or annotated not to run again keep their results; of a scope
/// named as checkpoint those results are kept that leave it. Updates of running statistics happen
/// once.
/// A message says how much of what the backward pass reads is computed again.
/// Throws UserError for a checkpoint that does not exist or a type that the execution does not
/// have.
void markRecomputed(Graph& graph, const MemoryOptions& options, bool isPipelined);

} // namespace tilescope::sim
