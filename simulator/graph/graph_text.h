// A graph as text, for maintainers.
#pragma once

#include <string>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// One operation a line, in order: its name, type and kind, where and when it runs, and its tensors
/// with their shapes and element types. Functions come before what calls them.
std::string graphText(const Graph& graph);

} // namespace tilescope::sim
