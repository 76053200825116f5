// Values recorded in a computed run: the curve of a training, and statistics of each tensor at
// sampled iterations.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/ids.h"

namespace tilescope {

using ValueTensorId = Id<struct ValueTensorTag>;

/// The role of a tensor in a model.
enum class ValueKind : std::uint8_t {
    Weight,
    Activation, ///< a result of the forward pass
    Gradient,   ///< of an activation or a weight, also summed over micro-batches or replicas
    OptimizerState,
};
template <>
inline constexpr auto enumNames<ValueKind> =
    std::to_array<std::string_view>({"weight", "activation", "gradient", "optimizerState"});
template <>
inline constexpr auto enumTitles<ValueKind> =
    std::to_array<std::string_view>({"Weight", "Activation", "Gradient", "Optimizer state"});

/// Bins of a histogram of magnitudes: the first for non-zero magnitudes below 2^first, one for
/// [2^e, 2^(e+1)) of each exponent e from `first` to `last`, and one for all larger finite numbers.
/// The range holds every half, subnormals too, with some space on either side; the ends of float
/// beyond it are rarely met in networks.
namespace exponents {
inline constexpr int first = -40;
inline constexpr int last = 20;
inline constexpr std::size_t bins = last - first + 3;
/// The bin of an exponent, the outer ones for those beyond the range.
constexpr std::size_t binOf(int exponent) {
    return exponent < first  ? 0
           : exponent > last ? bins - 1
                             : static_cast<std::size_t>(exponent - first + 1);
}
/// The exponent of a bin; one less than the first, one more than the last for the outer ones.
constexpr int of(std::size_t bin) {
    return static_cast<int>(bin) + first - 1;
}
} // namespace exponents

/// Counts of elements by the bin of their magnitude: finite ones that are not zero.
using ExponentCounts = std::array<std::uint32_t, exponents::bins>;

/// The range of half (IEEE 754 binary16): exponents of its smallest subnormal, smallest normal and
/// largest number, and that number.
namespace half_range {
inline constexpr int leastSubnormal = -24;
inline constexpr int leastNormal = -14;
inline constexpr int greatest = 15;
inline constexpr double limit = 65504;
} // namespace half_range

/// A tensor of the computed graph, at one place of the model.
struct ValueTensor {
    std::string name;
    ValueKind kind = ValueKind::Activation;
    std::string type;      ///< element type, "half"
    std::string shape;     ///< "[40,1,28,28]"
    OperationId operation; ///< that makes it, of a weight the first that reads it; none: unknown
    std::string place;     ///< that operation's name in the model, as its graph has it
    std::int32_t stage = 0;
    /// For the result of a rectifier: how many elements a sample has, and in how many channels (the
    /// second dimension; one element each if there are no more dimensions); zero for all other
    /// tensors.
    std::int64_t elementsOfSample = 0, channels = 0;
    /// How many of them were zero for every sample at every sampled iteration.
    std::int64_t deadElements = 0, deadChannels = 0;
    friend bool operator==(const ValueTensor&, const ValueTensor&) = default;
};

/// A tensor's elements at a sampled iteration: those of the first micro-batch of the first replica.
/// Tensors computed several times in it (in steps of a loop, by recomputation) count each time.
struct ValueSample {
    ValueTensorId tensor;
    std::int64_t iteration = 0;
    std::int64_t elements = 0;
    /// Of the finite elements; 0 if there are none.
    double minimum = 0, maximum = 0, mean = 0, deviation = 0;
    std::int64_t zeros = 0;
    std::int64_t subnormals = 0; ///< of the tensor's own type
    std::int64_t nans = 0, infinities = 0;
    std::int64_t atLimit = 0; ///< at the largest finite number of the tensor's type, or minus it
    ExponentCounts exponents{};
    /// For a product with half partial sums: its distance from the product with float partials, the
    /// root of the sum of squares of the differences over that of the product.
    std::optional<double> partialsError = {};
    friend bool operator==(const ValueSample&, const ValueSample&) = default;
};

/// A call of the host in a training.
struct CurvePoint {
    std::int64_t iteration = 0;     ///< weight updates so far, with those of the call
    double loss = 0;                ///< mean over the call's samples; NaN if it has diverged
    std::optional<double> accuracy; ///< share of correct samples, for classifiers
    double learningRate = 0, lossScale = 1;
};

/// An epoch of a training.
struct EpochPoint {
    std::int64_t epoch = 1;     ///< from one on
    std::int64_t iteration = 0; ///< weight updates at its end, in all epochs so far
    double loss = 0;
    std::optional<double> accuracy, evalLoss, evalAccuracy;
};

/// All of it; empty for a run that computed nothing. Iterations count weight updates from 1 on (in
/// inference: micro-batches of the call).
struct ProfileValues {
    std::vector<CurvePoint> curve;
    std::vector<EpochPoint> epochs;
    IdVector<ValueTensorId, ValueTensor> tensors; ///< in the order in which the graph makes them
    std::vector<ValueSample> samples;             ///< by tensor, then iteration
    [[nodiscard]] bool empty() const { return curve.empty() && epochs.empty() && tensors.empty(); }
};

/// Equal numbers; NaN equals NaN, for a loss that has diverged.
inline bool sameNumber(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}
bool operator==(const CurvePoint& a, const CurvePoint& b);
bool operator==(const EpochPoint& a, const EpochPoint& b);
bool operator==(const ProfileValues& a, const ProfileValues& b);

} // namespace tilescope
