// The loss that training minimises.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {

enum class LossFunction : std::uint8_t {
    Automatic,               ///< the model's own, or CrossEntropy
    CrossEntropy,            ///< softmax and labels that are class indices
    CategoricalCrossEntropy, ///< softmax and labels with a probability for each class
    BinaryCrossEntropy,      ///< each output is a probability, each label 0 or 1
    MeanSquaredError,
    MeanAbsoluteError,
};

/// "auto", "cross-entropy", ...
std::string_view toString(LossFunction loss);

/// The loss of that name, or of Keras's name for it ("mse", "MeanSquaredError",
/// "mean_squared_error", in any case); none if it is unknown.
std::optional<LossFunction> lossFunctionFrom(std::string_view name);

/// TileScope's names, then Keras's.
std::vector<std::string_view> lossFunctionNames();

} // namespace tilescope
