// Convolutions that are planned together, one after the other in the graph.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Moves operations that share a MultiConv, of one kind, pass and stage, to follow each other,
/// right after the last of what they need. Where one needs another's result, or they do not run
/// again together, each is planned by itself, and a message says so.
void gatherMultiConvs(Graph& graph);

} // namespace tilescope::sim
