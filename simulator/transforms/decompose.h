// Operations that Poplar's libraries compose of simpler ones are composed here too.
#pragma once

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Softmax becomes maximum, subtraction, exponential, sum, inverse and product (PopLibs
/// popnn/NonLinearity.cpp, the stable form); Lrn becomes square, windowed sum over channels, and
/// the scaled power (PopART lrnx.cpp). Names of the parts nest under the op's.
Graph decomposed(const Graph& graph);

} // namespace tilescope::sim
