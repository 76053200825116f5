// A small evaluator of ONNX nodes on known values, for the computations that exporters leave behind
// around shapes.
#pragma once

#include <optional>
#include <vector>

#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

/// Operands by position; null where an optional one is absent.
using ConstantOperands = std::vector<const Constant*>;

/// The results of a node; none if the evaluator does not know the operator or a result would exceed
/// maxConstantElements. Throws std::invalid_argument for operands that make no sense.
std::optional<std::vector<Constant>> evaluate(const Node& node, const ConstantOperands& operands);

/// True if constants of any size stay constant through the operator.
bool isEvaluable(const std::string& type);

/// An axis counted from the front. Throws std::invalid_argument if it lies outside of the rank.
std::size_t normalizedAxis(std::int64_t axis, std::size_t rank);

/// What Slice reads along one dimension.
struct SliceRange {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};
/// ONNX's clamping of starts and ends. Throws std::invalid_argument for a step of 0.
SliceRange sliceRange(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step);

/// The shape that a Reshape target asks for: 0 copies (unless allowZero) and one -1 is computed.
/// Throws std::invalid_argument where elements do not match.
Shape reshapedShape(const Shape& input, const std::vector<std::int64_t>& target, bool allowZero);

} // namespace tilescope::sim
