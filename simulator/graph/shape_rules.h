// The shapes that operations make from shapes.
#pragma once

#include <optional>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// NumPy broadcasting of two shapes. Throws std::invalid_argument where they do not match.
Shape broadcastShapes(const Shape& a, const Shape& b);

/// Shape of an op's first output. None where attributes and operands leave it open (Reshape, Slice,
/// Expand). Throws std::invalid_argument saying which operand does not fit.
std::optional<Shape> outputShape(const Attributes& attributes, const std::vector<Shape>& inputs);

/// Throws std::invalid_argument unless an output that outputShape() leaves open fits the op.
void checkOpenShape(const Attributes& attributes, const std::vector<Shape>& inputs,
                    const Shape& output);

/// Number of positions of a sliding window; less than 1 where the window does not fit.
std::int64_t windowPositions(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                             std::int64_t dilation, std::int64_t padding);

/// Shape of a replica's shard of a tensor: its share of the elements, rounded up, in a row.
Shape shardShape(const Shape& whole, std::int32_t shards);

} // namespace tilescope::sim
