// Repeated parts of a graph as functions that are called.
#pragma once

#include "core/options/outline_options.h"
#include "core/options/planning_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Makes each part that chooseMatches() selects a function of the graph (Graph::functions, smallest
/// first, named "call_subgraph(n)") and every place of it a Call, as PopART's outlining does
/// (popart transforms/subgraphoutline.cpp). A function's inputs are the tensors that the part reads
/// from outside, weights too; its outputs are those that something outside reads at any of its
/// places. Its operations keep the names that they have at the first place. Steps of an optimizer
/// overwrite inputs of the function, which a call copies back (see overwrites.h).
/// Operations between those of a place that no function can hold are moved before the call, or
/// after it if they need its results.
Graph outlined(const Graph& graph, const OutlineOptions& options, const PlanningOptions& planning);

} // namespace tilescope::sim
