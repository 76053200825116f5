// Arithmetic, comparisons and reductions of the constant evaluator.
#pragma once

#include "simulator/frontend/resolve/evaluate.h"

namespace tilescope::sim {

bool isArithmetic(const std::string& type);

/// As evaluate(), for the operators of isArithmetic().
std::optional<std::vector<Constant>> evaluateArithmetic(const Node& node,
                                                        const ConstantOperands& operands);

/// NumPy broadcasting; the shape must be one that `from` broadcasts to.
Constant broadcastTo(const Constant& from, const Shape& shape);

} // namespace tilescope::sim
