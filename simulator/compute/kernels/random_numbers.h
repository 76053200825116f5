// Random numbers that depend only on where they are drawn: a counter-based generator.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/compute/kernels/kernel.h"

namespace tilescope::sim {

/// The numbers of one operation at one place of a run: the n-th is the same in whatever order they
/// are drawn. Philox-4x32-10 (Salmon and others 2011, "Parallel random numbers: as easy as 1, 2,
/// 3").
class RandomNumbers {
public:
    explicit RandomNumbers(const ComputePlace& place);

    [[nodiscard]] std::uint64_t key() const { return key_; }
    /// Four words for elements 4 n to 4 n + 3.
    [[nodiscard]] std::array<std::uint32_t, 4> four(std::uint64_t n) const;
    /// In [0, 1), with as many bits as a float has.
    static float uniform(std::uint32_t word) {
        constexpr int spareBits = 8;
        return static_cast<float>(word >> spareBits) * 0x1p-24F;
    }
    /// Two independent numbers of mean 0 and deviation 1 (Box and Muller 1958).
    static std::array<float, 2> normal(std::uint32_t a, std::uint32_t b);

private:
    std::uint64_t key_;
};

} // namespace tilescope::sim
