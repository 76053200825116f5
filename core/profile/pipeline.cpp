#include "core/profile/pipeline.h"

#include <array>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 3> partNames{"rampUp", "main", "rampDown"};

} // namespace

std::string_view toString(PipelinePart part) {
    return partNames.at(static_cast<std::size_t>(part));
}

std::optional<PipelinePart> pipelinePartFrom(std::string_view name) {
    for (std::size_t i = 0; i < partNames.size(); ++i)
        if (partNames[i] == name)
            return static_cast<PipelinePart>(i);
    return std::nullopt;
}

} // namespace tilescope
