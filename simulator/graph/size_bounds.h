// What is too large to be looked at.
#pragma once

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// A program that does not fit is planned all the same, and its profile says by how much. Throws
/// UserError naming a tensor that is so large against the machine's memory that nothing could be
/// learnt from that.
void checkSizes(const Graph& graph, const Target& target);

} // namespace tilescope::sim
