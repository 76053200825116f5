// What must hold before the shape inference of libonnx may see a node: it trusts some attributes
// and indexes or divides by them.
#pragma once

#include <vector>

#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

/// Operands by position; null where an optional one is absent.
using OperandValues = std::vector<const Value*>;

/// Throws std::invalid_argument naming the attribute or operand.
void guardInference(const Node& node, const OperandValues& operands);

} // namespace tilescope::sim
