#include "simulator/compute/kernels/random_numbers.h"

#include <cmath>
#include <numbers>

namespace tilescope::sim {
namespace {

/// Spreads the bits of a number over all 64 (Steele and others 2014, SplitMix64).
std::uint64_t spreadBits(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

} // namespace

RandomNumbers::RandomNumbers(const ComputePlace& place)
    : key_(spreadBits(place.seed)) {
    for (const std::int64_t part : {place.iteration, place.microBatch, place.replica,
                                    static_cast<std::int64_t>(place.randomStream)})
        key_ = spreadBits(key_ ^ static_cast<std::uint64_t>(part));
}

std::array<std::uint32_t, 4> RandomNumbers::four(std::uint64_t n) const {
    constexpr std::uint64_t multiplierA = 0xd2511f53U;
    constexpr std::uint64_t multiplierB = 0xcd9e8d57U;
    constexpr std::uint32_t weylA = 0x9e3779b9U;
    constexpr std::uint32_t weylB = 0xbb67ae85U;
    constexpr int rounds = 10;
    std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(n),
                                       static_cast<std::uint32_t>(n >> 32U), 0, 0};
    auto keyA = static_cast<std::uint32_t>(key_);
    auto keyB = static_cast<std::uint32_t>(key_ >> 32U);
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t a = multiplierA * words[0];
        const std::uint64_t b = multiplierB * words[2];
        words = {
            static_cast<std::uint32_t>(b >> 32U) ^ words[1] ^ keyA, static_cast<std::uint32_t>(b),
            static_cast<std::uint32_t>(a >> 32U) ^ words[3] ^ keyB, static_cast<std::uint32_t>(a)};
        keyA += weylA;
        keyB += weylB;
    }
    return words;
}

std::array<float, 2> RandomNumbers::normal(std::uint32_t a, std::uint32_t b) {
    // Above zero, where the logarithm is defined.
    const float u = 1.0F - uniform(a);
    const float radius = std::sqrt(-2.0F * std::log(u));
    const float angle = 2.0F * std::numbers::pi_v<float> * uniform(b);
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

} // namespace tilescope::sim
