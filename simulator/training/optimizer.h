// Weight updates: accumulators, optimizer state and the operations on them.
#pragma once

#include <vector>

#include "simulator/options/stage_options.h"
#include "simulator/training/autodiff.h"

namespace tilescope::sim {

/// Adds, for each weight, the operations of the optimizer in PopART's form (patterns
/// sgd0/sgd2/adam/lamb decompose): with gradient accumulation an accumulator of the weight's layout
/// that every micro-batch adds to (Pass::Backward), then moments and the weight itself
/// (Pass::Update), and zeros for the next accumulation. State tensors have PopART's names
/// ("Accum___w", "Accl1___w", "Accl2___w", and "Step___w", which counts the updates of Adam, AdamW
/// and LAMB) and the types of the options. Momentum is kept apart from the accumulator (PopART's
/// SGD2); PopART has no LARS, whose ratio scales the gradient before it. Adam's gradients are cast
/// to the type of the moments, and unscaled where the loss is scaled; SGD has both in its learning
/// rate. Without accumulation the update uses the gradient itself. Several replicas sum their
/// gradients before they use them, one by one or as many together as the options specify; with
/// sharded state a replica updates its shard of a weight, which all then gather.
void addOptimizer(Graph& graph, const std::vector<WeightGradient>& gradients,
                  const UpdateOptions& options);

/// The training graph of a model: loss, backward pass and optimizer.
Graph trainingGraph(Graph graph, const UpdateOptions& options);

} // namespace tilescope::sim
