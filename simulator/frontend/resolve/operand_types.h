// Checks that a node's operands have types that its operator takes, as far as computing depends on
// it.
#pragma once

#include "simulator/frontend/resolve/node.h"
#include "simulator/frontend/resolve/rebatch.h"

namespace tilescope::sim {

/// Kernels tell reals from whole numbers (integers and truth values), not their widths. Throws
/// std::invalid_argument naming an operand that is one where its operator takes the other, or that
/// differs from another operand for which ONNX requires the same type.
void checkOperandTypes(const Node& node, const OperandValues& operands);

} // namespace tilescope::sim
