// The innermost loop of products with halves as partial sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "simulator/compute/kernels/half_rounding.h"
#include "simulator/compute/kernels/row_loops.h"

namespace tilescope::sim {

/// Rows and columns of operands that are packed term by term.
constexpr std::int64_t tileRows = 8, tileColumns = 32;

/// Passes over packed terms: those up to ends[i] belong to pass i.
struct TilePasses {
    const std::size_t* ends = nullptr;
    std::size_t first = 0, count = 0, firstTerm = 0;
};

/// What is stored between passes.
struct TileRounding {
    bool stochastic = false;
    float onOverflow = vec::largestHalf;
    std::uint32_t key = 0; ///< of the tile
};

/// Vectors of so many lanes.
template <int lanes> struct LaneTypes;
template <> struct LaneTypes<4> {
    using Reals [[gnu::vector_size(16)]] = float;
    using Words [[gnu::vector_size(16)]] = std::uint32_t;
    using Whole [[gnu::vector_size(16)]] = std::int32_t;
};
template <> struct LaneTypes<8> {
    using Reals [[gnu::vector_size(32)]] = float;
    using Words [[gnu::vector_size(32)]] = std::uint32_t;
    using Whole [[gnu::vector_size(32)]] = std::int32_t;
};
template <> struct LaneTypes<16> {
    using Reals [[gnu::vector_size(64)]] = float;
    using Words [[gnu::vector_size(64)]] = std::uint32_t;
    using Whole [[gnu::vector_size(64)]] = std::int32_t;
};

/// How sums become halves after a pass. Converted: to the nearest by the processor's conversions,
/// as long as none is too large.
enum class PassRounding { Nearest, Random, Converted };

/// Adds products of packed operands, a[term][row] and b[term][column], to sums[row][column], which
/// are halves after each pass. `lanes` floats are computed at once, `rows` rows at a time.
/// `converts`: the processor converts between `lanes` floats and halves (8: F16C, 16: AVX-512F).
template <int lanes, int rows, bool converts = false> struct PartialTile {
    using Reals = typename LaneTypes<lanes>::Reals;
    using Words = typename LaneTypes<lanes>::Words;
    using Whole = typename LaneTypes<lanes>::Whole;

    TILESCOPE_INLINE static void roundNearest(Reals& x) {
        Words bits;
        std::memcpy(&bits, &x, sizeof bits);
        const Words sign = bits & 0x80000000U;
        Words power = bits & 0x7f800000U;
        power = power < (113U << 23U) ? Words{} + (113U << 23U) : power;
        power = power > (144U << 23U) ? Words{} + (144U << 23U) : power;
        power = (power + (13U << 23U)) | 0x00400000U;
        Reals unit;
        std::memcpy(&unit, &power, sizeof unit);
        Reals rounded = (x + unit) - unit;
        std::memcpy(&bits, &rounded, sizeof bits);
        bits = (bits & 0x7fffffffU) | sign;
        std::memcpy(&x, &bits, sizeof bits);
    }

#if defined(__x86_64__)
    /// Infinity where it overflows. In assembler, as what the compiler has for it may only be
    /// called where the function's own instruction set is declared.
    TILESCOPE_INLINE static void convert(Reals& x) {
        typename LaneTypes<lanes / 2>::Words halves; // two to a word
        asm("vcvtps2ph $0, %1, %0" : "=v"(halves) : "v"(x));
        asm("vcvtph2ps %1, %0" : "=v"(x) : "v"(halves));
    }
#endif

    TILESCOPE_INLINE static void roundRandom(Reals& x, std::uint32_t key, const Words& lane) {
        Words word = lane * 0x9e3779b9U + key;
        word ^= word >> 16U;
        word *= 0x7feb352dU;
        word ^= word >> 15U;
        word *= 0x846ca68bU;
        word = (word ^ (word >> 16U)) >> 19U;
        Words bits;
        std::memcpy(&bits, &x, sizeof bits);
        const Words sign = bits & 0x80000000U;
        const Words sizeBits = bits & 0x7fffffffU;
        Words normal = (sizeBits + word) & 0xffffe000U;
        normal = sizeBits > 0x7f800000U ? sizeBits : normal;
        Reals size;
        std::memcpy(&size, &sizeBits, sizeof size);
        size = size < 0x1p-14F ? size : Reals{} + 0x1p-14F;
        Whole drawn;
        std::memcpy(&drawn, &word, sizeof drawn);
        const Reals draw = __builtin_convertvector(drawn, Reals);
        const Reals steps = size * 0x1p24F + draw * 0x1p-13F;
        const Reals subnormal =
            __builtin_convertvector(__builtin_convertvector(steps, Whole), Reals) * 0x1p-24F;
        Words small;
        std::memcpy(&small, &subnormal, sizeof small);
        bits = (sizeBits < (113U << 23U) ? small : normal) | sign;
        std::memcpy(&x, &bits, sizeof bits);
    }

    TILESCOPE_INLINE static void limit(Reals& x, float instead) {
        Words bits;
        std::memcpy(&bits, &x, sizeof bits);
        const Words sign = bits & 0x80000000U;
        const Words size = bits & 0x7fffffffU;
        const Reals wanted = Reals{} + instead;
        Words limited;
        std::memcpy(&limited, &wanted, sizeof limited);
        limited |= sign;
        constexpr std::uint32_t largest = 0x477fe000U; // 65,504
        constexpr std::uint32_t infinity = 0x7f800000U;
        bits = ((size > largest) & (size < infinity)) ? limited : bits;
        std::memcpy(&x, &bits, sizeof bits);
    }

    TILESCOPE_INLINE static bool areFinite(const Reals (&sum)[rows][2]) {
        Words notFinite = {};
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < 2; ++v) {
                Words bits;
                std::memcpy(&bits, &sum[r][v], sizeof bits);
                notFinite |= (bits & 0x7f800000U) == 0x7f800000U;
            }
        std::uint32_t any = 0;
        for (int i = 0; i < lanes; ++i)
            any |= notFinite[i];
        return any == 0;
    }

    /// False if it could not do so: sums are as they were.
    template <PassRounding kind>
    TILESCOPE_INLINE static bool block(const float* a, const float* b, const TilePasses& passes,
                                       const TileRounding& rounding, float* sums,
                                       std::uint32_t place) {
        Reals sum[rows][2];
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < 2; ++v)
                std::memcpy(&sum[r][v], sums + r * tileColumns + v * lanes, sizeof(Reals));
        Words lane;
        for (int i = 0; i < lanes; ++i)
            lane[i] = place + static_cast<std::uint32_t>(i);
        std::size_t term = passes.firstTerm;
        for (std::size_t pass = passes.first; pass < passes.first + passes.count; ++pass) {
            for (; term < passes.ends[pass]; ++term) {
                const std::size_t at = term - passes.firstTerm;
                Reals first;
                Reals second;
                std::memcpy(&first, b + at * tileColumns, sizeof first);
                std::memcpy(&second, b + at * tileColumns + lanes, sizeof second);
                for (int r = 0; r < rows; ++r) {
                    const float factor = a[at * tileRows + static_cast<std::size_t>(r)];
                    sum[r][0] += factor * first;
                    sum[r][1] += factor * second;
                }
            }
            for (int r = 0; r < rows; ++r)
                for (int v = 0; v < 2; ++v) {
                    if constexpr (kind == PassRounding::Converted) {
                        convert(sum[r][v]);
                        continue;
                    }
                    if constexpr (kind == PassRounding::Random)
                        roundRandom(sum[r][v],
                                    rounding.key + static_cast<std::uint32_t>(pass) * 0x85ebca6bU +
                                        static_cast<std::uint32_t>(r * 2 + v) * 0xc2b2ae35U,
                                    lane);
                    else
                        roundNearest(sum[r][v]);
                    limit(sum[r][v], rounding.onOverflow);
                }
        }
        // A sum that has overflowed is never a number again.
        if (kind == PassRounding::Converted && !areFinite(sum))
            return false;
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < 2; ++v)
                std::memcpy(sums + r * tileColumns + v * lanes, &sum[r][v], sizeof(Reals));
        return true;
    }

    TILESCOPE_INLINE static void body(const float* a, const float* b, const TilePasses& passes,
                                      const TileRounding& rounding, float* sums) {
        for (std::int64_t row = 0; row < tileRows; row += rows)
            for (std::int64_t column = 0; column < tileColumns; column += 2 * lanes) {
                const auto place = static_cast<std::uint32_t>(row * tileColumns + column);
                float* own = sums + row * tileColumns + column;
                if (rounding.stochastic) {
                    block<PassRounding::Random>(a + row, b + column, passes, rounding, own, place);
                    continue;
                }
                if constexpr (converts)
                    if (block<PassRounding::Converted>(a + row, b + column, passes, rounding, own,
                                                       place))
                        continue;
                block<PassRounding::Nearest>(a + row, b + column, passes, rounding, own, place);
            }
    }
};

} // namespace tilescope::sim
