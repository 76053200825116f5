#include "core/options/loss_function.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace tilescope {
namespace {

using enum LossFunction;

// The first name of each is TileScope's.
constexpr auto lossNames = std::to_array<std::pair<std::string_view, LossFunction>>({
    {"auto", Automatic},
    {"cross-entropy", CrossEntropy},
    {"categorical-cross-entropy", CategoricalCrossEntropy},
    {"binary-cross-entropy", BinaryCrossEntropy},
    {"mse", MeanSquaredError},
    {"mae", MeanAbsoluteError},
    {"sparse_categorical_crossentropy", CrossEntropy},
    {"categorical_crossentropy", CategoricalCrossEntropy},
    {"binary_crossentropy", BinaryCrossEntropy},
    {"mean_squared_error", MeanSquaredError},
    {"mean_absolute_error", MeanAbsoluteError},
});

/// Ignores case and punctuation: Keras has a function and a class for each loss.
std::string plain(std::string_view name) {
    std::string result;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

} // namespace

std::string_view toString(LossFunction loss) {
    return std::find_if(lossNames.begin(), lossNames.end(),
                        [loss](const auto& name) { return name.second == loss; })
        ->first;
}

std::optional<LossFunction> lossFunctionFrom(std::string_view name) {
    const std::string wanted = plain(name);
    for (const auto& [known, loss] : lossNames)
        if (plain(known) == wanted)
            return loss;
    return std::nullopt;
}

std::vector<std::string_view> lossFunctionNames() {
    std::vector<std::string_view> names;
    for (const auto& [name, loss] : lossNames)
        names.push_back(name);
    return names;
}

} // namespace tilescope
