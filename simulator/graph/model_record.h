// A graph as a profile records it.
#pragma once

#include "core/profile/profile.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Operations and the tensors that they read or make, in the order of the graph. Operations of
/// functions are left out. linkModelGraph() adds which operation of a program each node is.
ModelGraph recordedModel(const Graph& graph);

/// Names each node's operation: the one of its name or, where outlining put it into a function, the
/// function's (Graph::functionPlaces), with the calls around it. Operations that no node has, such
/// as calls, become nodes.
void linkModelGraph(Profile& profile, const Graph& graph);

/// Gives a program that was compiled earlier the lines of a graph that is prepared now: the same
/// model, maybe from a file whose lines have moved.
void renewSources(Profile& profile, const Graph& graph);

} // namespace tilescope::sim
