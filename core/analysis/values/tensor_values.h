// The sampled values of each tensor, over all sampled iterations.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/profile/values.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// The samples of a tensor, by iteration.
std::span<const ValueSample> samplesOf(const ProfileValues& values, ValueTensorId tensor);

/// Iterations at which any tensor was sampled, each once, in order.
std::vector<std::int64_t> sampledIterationsOf(const ProfileValues& values);

/// Samples of a tensor, or of several, taken together.
struct ValueTotals {
    std::int64_t samples = 0, elements = 0;
    std::int64_t zeros = 0, subnormals = 0, nans = 0, infinities = 0, atLimit = 0;
    double minimum = 0, maximum = 0; ///< of finite elements
    double mean = 0, deviation = 0;  ///< of all of them
    std::array<std::int64_t, exponents::bins> exponents{};
    std::optional<double> partialsError; ///< the largest

    /// Of all elements; 0 if there are none.
    [[nodiscard]] double share(std::int64_t count) const;
    [[nodiscard]] std::int64_t nonZero() const; ///< and finite
    /// Exponents of the smallest and the largest magnitude, see exponents::of(); none without one.
    [[nodiscard]] std::optional<int> leastExponent() const;
    [[nodiscard]] std::optional<int> greatestExponent() const;
};
ValueTotals totalsOf(std::span<const ValueSample> samples);

/// Whether a tensor's elements are halves.
bool isHalfTensor(const ValueTensor& tensor);

/// Estimates how many of a tensor's zeros were numbers below the smallest half. This is not
/// recorded, and a zero may also be intended, as where a rectifier let nothing through. It is
/// estimated from the histogram of exponents, which is assumed to continue below the end of the
/// range as it does in the eight exponents above it, four against four, as a geometric series. All
/// zeros, if it does not fall there, or if nothing else is left; none for a tensor that is not of
/// halves.
double lostZeros(const ValueTensor& tensor, const ValueTotals& totals);

/// Share of a tensor's elements that are below the range of half, lost or with fewer bits: zeros
/// that were numbers, and subnormals.
double underflowShare(const ValueTensor& tensor, const ValueTotals& totals);

} // namespace tilescope
