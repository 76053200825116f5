// ONNX's conventions for axes, slices and reshapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// An axis counted from the front. Throws std::invalid_argument if it lies outside of the rank.
std::size_t normalizedAxis(std::int64_t axis, std::size_t rank);

/// The axes from `first` on.
std::vector<std::int64_t> axesFrom(std::size_t first, std::size_t rank);

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
