// Values over iterations as matrices, for heat maps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/values/tensor_values.h"
#include "core/base/enum_names.h"

namespace tilescope {

/// A column for each sampled iteration; NaN where a tensor was not sampled.
struct ValueMatrix {
    std::vector<std::int64_t> iterations;
    std::vector<std::vector<double>> rows; ///< as many numbers as there are iterations
};

/// The quantity that a heat map of tensors shows.
enum class ValueMeasure {
    Underflow, ///< underflowShare()
    Zeros,     ///< share of the elements, as are the next two
    Subnormals,
    NotFinite, ///< NaN, infinities and numbers at the type's limit
    Exponent,  ///< of the root of the mean square: log2
    Largest,   ///< exponent of the largest magnitude: log2
};
inline constexpr auto valueMeasures = valuesUpTo<ValueMeasure::Largest>;
template <>
inline constexpr auto enumNames<ValueMeasure> = std::to_array<std::string_view>(
    {"underflow", "zeros", "subnormals", "notFinite", "exponent", "largest"});
template <>
inline constexpr auto enumTitles<ValueMeasure> = std::to_array<std::string_view>(
    {"Underflow", "Zeros", "Subnormals", "NaN, infinite, at the limit", "Typical exponent",
     "Largest exponent"});

/// Exponents over iterations: a row for each bin of exponents (see exponents::of), with the share
/// of these tensors' elements in it. The rest of each column, up to 1, is zeros and non-numbers.
ValueMatrix exponentMap(const ProfileValues& values, std::span<const ValueTensorId> tensors);

/// A row for each of these tensors.
ValueMatrix tensorMap(const ProfileValues& values, std::span<const ValueTensorId> tensors,
                      ValueMeasure measure);

} // namespace tilescope
