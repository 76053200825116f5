// Statistics of many numbers: extremes, moments, and their distribution in the range of their type.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/profile/values.h"
#include "simulator/graph/data_type.h"

namespace tilescope::sim {

/// Collects elements of float or half. The result is the same for any number of threads: sums are
/// over blocks of one size, in their order.
class ElementStatistics {
public:
    explicit ElementStatistics(DataType type)
        : type_(type) {}
    /// Works on all cores where there are many.
    void add(std::span<const float> values);
    /// Of all elements so far. The deviation is that of a population, from the sums of the elements
    /// and of their squares in double precision.
    [[nodiscard]] ValueSample sample(ValueTensorId tensor, std::int64_t iteration) const;

private:
    /// Of float's exponent field; 0: zeros and subnormals, 255: infinities and NaN (IEEE 754).
    static constexpr std::size_t fields = 256;
    struct Sums {
        std::array<std::uint32_t, fields> exponents{};
        std::int64_t elements = 0, zeros = 0, infinities = 0, atLimit = 0;
        double sum = 0, squares = 0;
        float minimum = std::numeric_limits<float>::infinity();
        float maximum = -std::numeric_limits<float>::infinity();
    };
    [[nodiscard]] Sums sumsOf(std::span<const float> block) const;
    void add(const Sums& sums);

    DataType type_;
    Sums all_;
};

} // namespace tilescope::sim
