// Removal of ops and tensors that no output needs.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Renumbers ops and tensors; the inputs of the graph stay, read or not.
void removeDeadCode(Graph& graph);

} // namespace tilescope::sim
