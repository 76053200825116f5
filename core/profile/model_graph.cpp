#include "core/profile/model_graph.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 5> sourceNames{"operation", "input", "weight", "constant",
                                                      "remote"};
constexpr std::array<std::string_view, 3> phaseNames{"forward", "backward", "update"};

template <class Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& names, std::string_view wanted) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    return found == names.end() ? std::nullopt : std::optional(Enum(found - names.begin()));
}

} // namespace

std::string_view toString(TensorSource source) {
    return sourceNames.at(static_cast<std::size_t>(source));
}
std::optional<TensorSource> tensorSourceFrom(std::string_view name) {
    return find<TensorSource>(sourceNames, name);
}
std::string_view toString(ModelPhase phase) {
    return phaseNames.at(static_cast<std::size_t>(phase));
}
std::optional<ModelPhase> modelPhaseFrom(std::string_view name) {
    return find<ModelPhase>(phaseNames, name);
}

} // namespace tilescope
