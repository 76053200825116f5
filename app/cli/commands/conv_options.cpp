#include "app/cli/commands/conv_options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope::cli {
namespace {

struct Sides {
    Numbers lower, upper;
};

/// "padding" and the like: both sides alike, or each given separately.
Sides sidesOf(const OpArguments& a, const std::string& key, const Numbers& field) {
    const auto side = [&](const std::string& name) {
        return a.forEachDim(a.text(name) == key ? key : name, field);
    };
    return {side(key + "-lower"), side(key + "-upper")};
}

constexpr auto sided = std::to_array<const char*>(
    {"padding", "truncation", "kernel-truncation", "kernel-padding", "output-truncation"});

/// The dilation of an input, in the forms that can be simulated.
Numbers inDilationOf(const OpArguments& a, const sim::SingleConvLayer& layer) {
    Numbers dilation = a.forEachDim("in-dilation", layer.field);
    if (std::all_of(dilation.begin(), dilation.end(), [](std::int64_t by) { return by == 1; }))
        return {};
    for (std::size_t d = 0; d < dilation.size(); ++d) {
        const std::int64_t span = (layer.kernel[d] - 1) * layer.dilation[d] + 1;
        if (dilation[d] < 1 || layer.stride[d] != 1 ||
            std::max(layer.paddingLower[d], layer.paddingUpper[d]) >= span)
            throw UserError("--in-dilation: simulated with a stride of 1 and with less padding "
                            "than the kernel spans");
    }
    return dilation;
}

} // namespace

std::map<std::string, std::string> convDefaults() {
    std::map<std::string, std::string> defaults{
        {"field", ""},           {"kernel-size", "1"},
        {"stride", "1"},         {"kernel-dilation", "1"},
        {"in-dilation", "1"},    {"input-channels", ""},
        {"output-channels", ""}, {"batch-size", "1"},
        {"conv-groups", "1"},    {"input-type", "data-type"}};
    for (const std::string key : sided) {
        defaults.emplace(key, "0");
        defaults.emplace(key + "-lower", key);
        defaults.emplace(key + "-upper", key);
    }
    return defaults;
}

std::vector<IgnoredOptions> convIgnored() {
    return {{"no values are computed", {"flip-input", "flip-kernel"}},
            {"results have the type of the data", {"output-type"}},
            {"zeros around a result are not written",
             {"output-padding", "output-padding-lower", "output-padding-upper"}},
            {"results stay where they are made", {"remap-output-tensor"}}};
}

sim::SingleConvLayer convLayerOf(const OpArguments& a) {
    sim::SingleConvLayer layer;
    layer.field = a.list("field");
    layer.kernel = a.forEachDim("kernel-size", layer.field);
    layer.stride = a.forEachDim("stride", layer.field);
    layer.dilation = a.forEachDim("kernel-dilation", layer.field);
    const Sides padding = sidesOf(a, "padding", layer.field);
    const Sides truncation = sidesOf(a, "truncation", layer.field);
    const Sides kernelTruncation = sidesOf(a, "kernel-truncation", layer.field);
    const Sides kernelPadding = sidesOf(a, "kernel-padding", layer.field);
    const Sides outTruncation = sidesOf(a, "output-truncation", layer.field);
    for (std::size_t d = 0; d < layer.field.size(); ++d) {
        // Zeros around the kernel and results that are dropped each take a row off a side.
        const std::int64_t lower =
            padding.lower[d] - kernelPadding.lower[d] - outTruncation.lower[d];
        const std::int64_t upper =
            padding.upper[d] - kernelPadding.upper[d] - outTruncation.upper[d];
        const auto none = std::int64_t{0};
        layer.paddingLower.push_back(std::max(none, lower));
        layer.paddingUpper.push_back(std::max(none, upper));
        layer.field[d] += std::min(none, lower) + std::min(none, upper) - truncation.lower[d] -
                          truncation.upper[d];
        layer.kernel[d] -= kernelTruncation.lower[d] + kernelTruncation.upper[d];
        const std::int64_t span = (layer.kernel[d] - 1) * layer.dilation[d] + 1;
        if (layer.kernel[d] < 1 ||
            layer.field[d] + layer.paddingLower[d] + layer.paddingUpper[d] < span ||
            layer.field[d] < 1)
            throw UserError(
                fmt::format("--field: nothing is left of dimension {} for the kernel", d));
    }
    layer.inDilation = inDilationOf(a, layer);
    layer.batchSize = a.number("batch-size");
    layer.groups = a.number("conv-groups");
    // The tool's channels are those of one group.
    layer.inputChannels = a.number("input-channels") * layer.groups;
    layer.outputChannels = a.number("output-channels") * layer.groups;
    layer.bias = false;
    layer.inferenceOnly = a.inferenceOnly;
    return layer;
}

} // namespace tilescope::cli
