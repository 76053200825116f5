// The loss that training minimises.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {

enum class LossFunction : std::uint8_t {
#define LOSS(function, name, kerasName, sorts) function,
#include "core/options/losses.def"
#undef LOSS
};

/// "auto", "cross-entropy", ...
std::string_view toString(LossFunction loss);

/// The loss of that name, or of Keras's name for it ("mse", "MeanSquaredError",
/// "mean_squared_error", in any case); none if it is unknown.
std::optional<LossFunction> lossFunctionFrom(std::string_view name);

/// TileScope's names, then Keras's.
std::vector<std::string_view> lossFunctionNames();

/// Whether the outputs that it is computed from are scores of classes.
bool sortsIntoClasses(LossFunction loss);

} // namespace tilescope
