// Which convolutions of a graph are planned together.
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Common properties of operations that are planned together: the object that they refer to, their
/// kind, pass and stage.
using MultiConvKey = std::tuple<const MultiConv*, std::size_t, Pass, std::int32_t>;
MultiConvKey multiConvKeyOf(const Op& op);

/// Operations of a graph that are planned together, at least two, in order; those lists by their
/// first operation.
std::vector<std::vector<OpId>> multiConvsOf(const Graph& graph);

} // namespace tilescope::sim
