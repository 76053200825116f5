// How reals become halves on the device.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "simulator/compute/kernels/vector_math.h"

namespace tilescope::sim {

/// Settings of the floating-point units (Poplar's FloatingPointBehaviour esr and nanoo). A number
/// that is too large becomes the largest half, or NaN (Graphcore, "Half-precision floating point
/// and stochastic rounding": nanoo selects between clipping and NaN); infinities stay as they are
/// (*assumed*).
struct HalfRounding {
    bool stochastic = false; ///< up with probability equal to the discarded fraction
    bool nanOnOverflow = false;
};

/// Rounds the elements of one result to halves. Random bits depend on `key` and an element's index
/// only, so that parts may be rounded apart and in any order.
class HalfStore {
public:
    HalfStore(const HalfRounding& rounding, std::uint64_t key);

    /// Rounds `count` values in place; `first` is the index of values[0] in the result.
    void operator()(float* values, std::int64_t first, std::int64_t count) const;

private:
    bool stochastic_;
    float instead_; ///< of what overflows
    std::uint32_t keyWord_;
};

/// Rounds a whole result, by oneDNN's team of threads.
void storeAsHalves(std::span<float> values, const HalfStore& store);

namespace vec {

constexpr float largestHalf = 65504.0F;

/// To the nearest half, ties to even, without regard to overflow: a half has ten bits after the
/// point and none beyond 2^-24.
TILESCOPE_INLINE float nearestHalf(float x) {
    constexpr std::uint32_t exponent = 0x7f800000U;
    constexpr std::uint32_t leastNormal = 113U << 23U; // 2^-14
    constexpr std::uint32_t most = 144U << 23U;        // beyond all halves
    std::uint32_t bits = std::bit_cast<std::uint32_t>(x) & exponent;
    bits = bits < leastNormal ? leastNormal : bits;
    bits = bits > most ? most : bits;
    // Adding 1.5 * 2^(e + 13) leaves ten bits after the first.
    const auto unit = std::bit_cast<float>((bits + (13U << 23U)) | 0x00400000U);
    return withSignOf((x + unit) - unit, x);
}

/// Thirteen random bits decide; NaN and infinity stay.
TILESCOPE_INLINE float randomHalf(float x, std::uint32_t word) {
    constexpr std::uint32_t beyond = 0x1fffU; // the bits that a half does not have
    const std::uint32_t draw = word >> 19U;
    const float size = magnitude(x);
    const auto normal = std::bit_cast<float>((std::bit_cast<std::uint32_t>(size) + draw) & ~beyond);
    const float limited = size < 0x1p-14F ? size : 0x1p-14F;
    const float steps = limited * 0x1p24F + static_cast<float>(static_cast<int>(draw)) * 0x1p-13F;
    const float subnormal = static_cast<float>(static_cast<std::int32_t>(steps)) * 0x1p-24F;
    const float rounded = withSignOf(size < 0x1p-14F ? subnormal : normal, x);
    return x != x ? x : rounded;
}

/// A rounded number, or `instead` with its sign where it overflows.
TILESCOPE_INLINE float withinHalves(float x, float instead) {
    const float size = magnitude(x);
    const float limited = size > largestHalf ? withSignOf(instead, x) : x;
    return size > std::numeric_limits<float>::max() ? x : limited;
}

/// Random bits for the n-th element (C. Wellons, "Prospecting for Hash Functions": lowbias32).
TILESCOPE_INLINE std::uint32_t randomWord(std::uint32_t key, std::uint32_t n) {
    std::uint32_t x = n * 0x9e3779b9U + key;
    x ^= x >> 16U;
    x *= 0x7feb352dU;
    x ^= x >> 15U;
    x *= 0x846ca68bU;
    return x ^ (x >> 16U);
}

} // namespace vec
} // namespace tilescope::sim
