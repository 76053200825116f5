// Sums and products of counts that saturate instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace tilescope {

/// The limit that a result saturates to instead of wrapping.
constexpr std::int64_t lastNumber(bool negative) {
    using Limits = std::numeric_limits<std::int64_t>;
    return negative ? Limits::min() : Limits::max();
}

inline std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? lastNumber(a < 0) : sum;
}

inline std::int64_t saturatingDifference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? lastNumber(a < 0) : difference;
}

inline std::int64_t saturatingProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? lastNumber((a < 0) != (b < 0)) : product;
}

} // namespace tilescope
