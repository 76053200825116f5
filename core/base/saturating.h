// Sums and products of counts that stay at the largest or least number instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace tilescope {

inline std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? Limits::min() : Limits::max();
}

inline std::int64_t saturatingDifference(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return a < 0 ? Limits::min() : Limits::max();
}

inline std::int64_t saturatingProduct(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return (a < 0) != (b < 0) ? Limits::min() : Limits::max();
}

} // namespace tilescope
