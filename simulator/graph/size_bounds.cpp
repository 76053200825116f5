#include "simulator/graph/size_bounds.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"

namespace tilescope::sim {
namespace {

/// For a single tensor: a batch that is a hundred times too large still has a profile.
constexpr double mostMemories = 100;

std::string bytesText(double bytes) {
    constexpr double mostToWrite = 9e18; // that 64 bits hold
    return formatBytes(static_cast<std::int64_t>(std::min(bytes, mostToWrite)));
}

void checkTensorSizes(const Graph& graph, const Target& target, const std::string& model) {
    const double memory =
        static_cast<double>(target.totalTiles()) * static_cast<double>(target.bytesPerTile);
    for (const Tensor& tensor : graph.tensors) {
        // In floating point: sizes may multiply to more than 64 bits.
        auto bytes = static_cast<double>(bytesOf(tensor.type));
        for (const std::int64_t size : tensor.shape)
            bytes *= static_cast<double>(size);
        if (bytes > mostMemories * memory)
            throw UserError(fmt::format("{}: tensor '{}' of shape {} takes {}, {:.0f} times the "
                                        "memory of the machine ({} in "
                                        "{} tiles); make the batch or the layer smaller",
                                        model, tensor.name, toString(tensor.shape),
                                        bytesText(bytes), bytes / memory, bytesText(memory),
                                        target.totalTiles()));
    }
}

} // namespace

void checkValues(const Graph& graph, const std::string& model) {
    for (const Tensor& tensor : graph.tensors)
        if (tensor.elements() > mostValues)
            throw UserError(fmt::format("{}: tensor '{}' of shape {} has {} elements, and at most "
                                        "{} can be computed with; leave --compute out, or make the "
                                        "batch or the layer smaller",
                                        model, tensor.name, toString(tensor.shape),
                                        withThousands(tensor.elements()),
                                        withThousands(mostValues)));
}

void checkSizes(const Graph& graph, const Target& target) {
    checkTensorSizes(graph, target, graph.name);
    for (const Graph& function : graph.functions)
        checkTensorSizes(function, target, graph.name);
}

} // namespace tilescope::sim
