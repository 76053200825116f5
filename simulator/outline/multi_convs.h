// Convolutions that are planned together, one after the other in the graph.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Makes operations that share a MultiConv, of one kind, pass and stage, consecutive, right after
/// the last operation that they need. Where one needs another's result, or they are not recomputed
/// together, each is planned separately, and a message is added.
void gatherMultiConvs(Graph& graph);

} // namespace tilescope::sim
