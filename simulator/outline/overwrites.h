// Which of its inputs a function overwrites.
#pragma once

#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// A function's inputs that it, or a function that it calls, overwrites, and the outputs that are
/// such an input's new value (popart CallOp::modifies and aliases).
struct Overwrites {
    std::vector<bool> inputs;          ///< by input, whether it is overwritten
    std::vector<std::int32_t> outputs; ///< by output, the input that it is the value of; -1: none
};

/// `functions`: those that it may call, of the outermost graph.
Overwrites overwritesOf(const Graph& function, const std::vector<Graph>& functions);

} // namespace tilescope::sim
