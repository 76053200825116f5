// A small evaluator of ONNX nodes on known values, for the computations that exporters leave behind
// around shapes.
#pragma once

#include <optional>
#include <vector>

#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

/// Operands by position; null where an optional one is absent.
struct ConstantOperands : std::vector<const Constant*> {
    std::int64_t most = maxConstantElements; ///< elements that a result may have
};

/// The results of a node; none for operators that the evaluator does not have or if a result would
/// exceed operands.most. Throws std::invalid_argument for operands that make no sense.
std::optional<std::vector<Constant>> evaluate(const Node& node, const ConstantOperands& operands);

/// True if constants of any size stay constant through the operator.
bool isEvaluable(const std::string& type);

bool isArithmetic(const std::string& type);

/// As evaluate(), for the operators of isArithmetic().
std::optional<std::vector<Constant>> evaluateArithmetic(const Node& node,
                                                        const ConstantOperands& operands);

/// NumPy broadcasting; the shape must be one that `from` broadcasts to.
/// Throws std::invalid_argument for one of more than `most` elements.
Constant broadcastTo(const Constant& from, const Shape& shape, std::int64_t most);

} // namespace tilescope::sim
