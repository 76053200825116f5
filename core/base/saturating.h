// Sums and products of counts that stay at the largest number instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace tilescope {

/// a + b of numbers that are not negative.
inline std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

/// a * b of numbers that are not negative.
inline std::int64_t saturatingProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                  : product;
}

} // namespace tilescope
