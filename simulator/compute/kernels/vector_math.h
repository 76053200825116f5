// Functions of one float without branches, so that loops over them become vector instructions.
// Their results are within a few units of the last place. Polynomials: S. Moshier, Cephes 2.2,
// single/ (expf.c, logf.c, tanhf.c, ndtrf.c).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#define TILESCOPE_INLINE [[gnu::always_inline]] inline

namespace tilescope::sim::vec {

template <std::size_t N>
TILESCOPE_INLINE float polynomial(float x, const std::array<float, N>& coefficients) {
    float sum = coefficients[0];
    for (std::size_t i = 1; i < N; ++i)
        sum = sum * x + coefficients[i];
    return sum;
}

TILESCOPE_INLINE float magnitude(float x) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffU);
}
TILESCOPE_INLINE float withSignOf(float size, float sign) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(size) & 0x7fffffffU) |
                                (std::bit_cast<std::uint32_t>(sign) & 0x80000000U));
}

TILESCOPE_INLINE float exponential(float x) {
    // Beyond these the result is infinity, or zero.
    constexpr float most = 89.0F;
    constexpr float least = -104.0F;
    x = x > most ? most : x;
    x = x < least ? least : x;
    constexpr float log2OfE = 1.44269504088896341F;
    // Adding it leaves the nearest whole number in the low bits.
    constexpr float rounder = 12582912.0F;
    const float shifted = x * log2OfE + rounder;
    const float whole = shifted - rounder;
    const auto power =
        static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - 0x4b400000U);
    // log(2) in two parts, the first of few bits.
    const float rest = (x - whole * 0.693359375F) - whole * -2.12194440e-4F;
    const float series =
        polynomial(rest, std::array{1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F,
                                    4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F});
    const float fraction = series * rest * rest + rest + 1.0F;
    // In two steps, since the power alone may be out of float's range.
    const std::int32_t half = power >> 1;
    const auto asPower = [](std::int32_t n) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23U);
    };
    return fraction * asPower(half) * asPower(power - half);
}

TILESCOPE_INLINE float logarithm(float x) {
    constexpr float leastNormal = std::numeric_limits<float>::min();
    const bool small = x < leastNormal;
    const float scaled = small ? x * 0x1p23F : x;
    const auto bits = std::bit_cast<std::uint32_t>(scaled);
    // From sqrt(1/2) to sqrt(2) and a power of two.
    constexpr std::uint32_t rootOfHalf = 0x3f3504f3U;
    const std::uint32_t offset = bits - rootOfHalf;
    const auto power = static_cast<std::int32_t>(offset) >> 23;
    const float fraction =
        std::bit_cast<float>(bits - (static_cast<std::uint32_t>(power) << 23U)) - 1.0F;
    const float exponent = static_cast<float>(power) - (small ? 23.0F : 0.0F);
    const float square = fraction * fraction;
    const float series =
        polynomial(fraction, std::array{7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F,
                                        -1.2420140846e-1F, 1.4249322787e-1F, -1.6668057665e-1F,
                                        2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F});
    float result = series * fraction * square;
    result += exponent * -2.12194440e-4F;
    result -= 0.5F * square;
    result = fraction + result + exponent * 0.693359375F;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    result = x == infinity ? infinity : result;
    result = x == 0.0F ? -infinity : result;
    return x < 0.0F || x != x ? std::numeric_limits<float>::quiet_NaN() : result;
}

TILESCOPE_INLINE float sigmoid(float x) {
    return 1.0F / (1.0F + exponential(-x));
}

TILESCOPE_INLINE float tangent(float x) {
    const float size = magnitude(x);
    const float square = x * x;
    const float near =
        polynomial(square, std::array{-5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F,
                                      1.33314422036e-1F, -3.33332819422e-1F}) *
            square * x +
        x;
    const float far = withSignOf(1.0F - 2.0F / (exponential(2.0F * size) + 1.0F), x);
    constexpr float nearUpTo = 0.625F;
    return size < nearUpTo ? near : far;
}

TILESCOPE_INLINE float errorFunction(float x) {
    const float size = magnitude(x);
    const float square = x * x;
    const float near =
        x * polynomial(square, std::array{7.853861353153693e-5F, -8.010193625184903e-4F,
                                          5.188327685732524e-3F, -2.685381193529856e-2F,
                                          1.128358514861418e-1F, -3.761262582423300e-1F,
                                          1.128379165726710F});
    const float inverse = 1.0F / (size < 1.0F ? 1.0F : size);
    const float inverseSquare = inverse * inverse;
    const float middle = polynomial(
        inverseSquare,
        std::array{2.326819970068386e-2F, -1.387039388740657e-1F, 3.687424674597105e-1F,
                   -5.824733027278666e-1F, 6.210004621745983e-1F, -4.944515323274145e-1F,
                   3.404879937665872e-1F, -2.741127028184656e-1F, 5.638259427386472e-1F});
    const float outer =
        polynomial(inverseSquare,
                   std::array{-1.047766399936249e+1F, 1.297719955372516e+1F, -7.495518717768503F,
                              2.921019019210786F, -1.015265279202700F, 4.218463358204948e-1F,
                              -2.820767439740514e-1F, 5.641895067754075e-1F});
    const float rest = exponential(-square) * inverse * (size < 2.0F ? middle : outer);
    const float result = size < 1.0F ? near : withSignOf(1.0F - rest, x);
    return x != x ? x : result;
}

/// Gelu's tanh approximation (Hendrycks and Gimpel 2016).
TILESCOPE_INLINE float geluInner(float x) {
    constexpr float rootOfTwoOverPi = 0.797884560802865F;
    return rootOfTwoOverPi * (x + 0.044715F * x * x * x);
}
TILESCOPE_INLINE float gelu(float x) {
    return 0.5F * x * (1.0F + tangent(geluInner(x)));
}
TILESCOPE_INLINE float geluSlope(float x) {
    constexpr float rootOfTwoOverPi = 0.797884560802865F;
    const float t = tangent(geluInner(x));
    const float inner = rootOfTwoOverPi * (1.0F + 3.0F * 0.044715F * x * x);
    return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner;
}
TILESCOPE_INLINE float geluExact(float x) {
    constexpr float rootOfHalf = 0.707106781186548F;
    return 0.5F * x * (1.0F + errorFunction(x * rootOfHalf));
}
TILESCOPE_INLINE float geluExactSlope(float x) {
    constexpr float rootOfHalf = 0.707106781186548F;
    constexpr float density = 0.398942280401433F; // 1 / sqrt(2 pi)
    return 0.5F * (1.0F + errorFunction(x * rootOfHalf)) + x * density * exponential(-0.5F * x * x);
}

} // namespace tilescope::sim::vec
