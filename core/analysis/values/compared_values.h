// Values of two runs compared: their curves, and tensors whose elements differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/values/tensor_values.h"

namespace tilescope {

/// An iteration of both curves, or of one.
struct ComparedPoint {
    std::int64_t iteration = 0;
    std::optional<double> sourceLoss, targetLoss;
    std::optional<double> sourceAccuracy, targetAccuracy;
};

/// A tensor of both runs, or of one.
struct ComparedTensor {
    ValueTensorId source, target; ///< none if that run lacks it
    std::string name, place;      ///< the source's, otherwise the target's
    ValueKind kind = ValueKind::Activation;
    ValueTotals before, after;
    /// By how many powers of two non-zero elements have to be moved, on average, to turn one
    /// histogram of exponents into the other: their earth mover's distance (on a line, the sum of
    /// the differences of the cumulated shares). None if a side has no such element.
    std::optional<double> moved;
    /// Of the elements: by how much the share of zeros, NaN and infinities changed.
    [[nodiscard]] double lostChange() const;
};

struct ComparedValues {
    std::vector<ComparedPoint> curve;    ///< by iteration
    std::vector<ComparedTensor> tensors; ///< those that moved most first
};

/// Tensors match by name, kind and place.
ComparedValues compareValues(const ProfileValues& source, const ProfileValues& target);

} // namespace tilescope
