#include "simulator/frontend/resolve/index_rules.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/frontend/onnx_types/constant.h"

namespace tilescope::sim {

std::size_t normalizedAxis(std::int64_t axis, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    const std::int64_t result = axis < 0 ? axis + signedRank : axis;
    if (result < 0 || result >= signedRank)
        throw std::invalid_argument(fmt::format("axis {} lies outside of rank {}", axis, rank));
    return static_cast<std::size_t>(result);
}

std::vector<std::int64_t> axesFrom(std::size_t first, std::size_t rank) {
    std::vector<std::int64_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(first));
    return axes;
}

SliceRange sliceRange(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (step == 0)
        throw std::invalid_argument("its step is 0");
    // Steps beyond the size read one element anyway; this keeps the sums below from overflowing.
    step = std::clamp(step, -size - 1, size + 1);
    const auto fromFront = [size](std::int64_t i) { return i < 0 ? i + size : i; };
    const std::int64_t low = step > 0 ? 0 : -1;
    const std::int64_t high = step > 0 ? size : size - 1;
    const std::int64_t first = std::clamp(fromFront(start), step > 0 ? low : 0, high);
    const std::int64_t last = std::clamp(fromFront(end), low, high);
    const std::int64_t distance = step > 0 ? last - first : first - last;
    const std::int64_t stride = std::abs(step);
    return {first, step, distance <= 0 ? 0 : ceilDiv(distance, stride)};
}

Shape reshapedShape(const Shape& input, const std::vector<std::int64_t>& target, bool allowZero) {
    Shape result = target;
    std::int64_t known = 1;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == 0 && !allowZero) {
            if (i >= input.size())
                throw std::invalid_argument("its target copies a dimension that does not exist");
            result[i] = input[i];
        }
        if (result[i] == -1 && !open) {
            open = i;
            continue;
        }
        if (result[i] < 0 || __builtin_mul_overflow(known, result[i], &known))
            throw std::invalid_argument(fmt::format("target {} is impossible", toString(target)));
    }
    const std::int64_t elements = elementsOf(input);
    if (open)
        result[*open] = known > 0 ? elements / known : 0;
    if (known * (open ? result[*open] : 1) != elements)
        throw std::invalid_argument(
            fmt::format("input {} does not fit target {}", toString(input), toString(target)));
    return result;
}

} // namespace tilescope::sim
