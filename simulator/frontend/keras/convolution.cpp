// Convolutions, plain, by channel and separable.
#include <fmt/format.h>

#include "simulator/frontend/keras/window.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

struct Filter {
    std::int64_t channels = 1; ///< of the result
    std::int64_t groups = 1;
    std::string kernel; ///< name of the weights
    std::string part;   ///< of the node
    bool bias = true;
};

/// One Conv node over a window; zeros that a layer before put around the operand become its
/// padding.
KerasTensor convolve(KerasEmitter& e, const KerasImage& image, const KerasWindow& window,
                     const Filter& filter) {
    Shape weights{filter.channels, image.channels / filter.groups};
    weights.insert(weights.end(), window.size.begin(), window.size.end());
    std::vector<std::string> operands{image.tensor.value, e.weight(filter.kernel, weights)};
    if (filter.bias)
        operands.push_back(e.weight("bias", {filter.channels}));
    const std::string value = e.apply("Conv", filter.part, operands,
                                      {{"kernel_shape", window.size},
                                       {"strides", window.strides},
                                       {"dilations", window.dilations},
                                       {"pads", window.pads()},
                                       {"group", filter.groups}});
    return image.with(value, filter.channels, window.output);
}

KerasWindow windowOf(const LayerReader& layer, const KerasImage& image) {
    const std::size_t rank = image.spatial.size();
    const auto ones = std::vector<std::int64_t>(rank, 1);
    Shape bare = image.spatial;
    for (std::size_t i = 0; i < image.tensor.padding.size(); ++i)
        bare[i] -= image.tensor.padding[i].first + image.tensor.padding[i].second;
    return kerasWindow(layer, bare, layer.integers("kernel_size", rank),
                       layer.has("strides") ? layer.integers("strides", rank) : ones,
                       layer.has("dilation_rate") ? layer.integers("dilation_rate", rank) : ones,
                       image.tensor.padding);
}

template <std::size_t Dimensions> Tensors convertConv(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, inputs[0], Dimensions);
    const std::int64_t groups = layer.has("groups") ? layer.integer("groups") : 1;
    const std::int64_t filters = layer.integer("filters");
    if (image.channels % groups != 0 || filters % groups != 0)
        throw layer.keyError("groups", fmt::format("must divide the {} channels and the {} filters",
                                                   image.channels, filters));
    const KerasTensor y = convolve(e, image, windowOf(layer, image),
                                   {filters, groups, "kernel", "", layer.flag("use_bias", true)});
    return {e.activated(y, layer.function("activation"), "activation")};
}

std::int64_t depthwiseChannels(const LayerReader& layer, const KerasImage& image) {
    const std::int64_t channels =
        image.channels * (layer.has("depth_multiplier") ? layer.integer("depth_multiplier") : 1);
    if (channels > largestKerasSize)
        throw layer.keyError("depth_multiplier", "makes more channels than any model has");
    return channels;
}

Tensors convertDepthwise(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, inputs[0], 2);
    const KerasTensor y = convolve(e, image, windowOf(layer, image),
                                   {depthwiseChannels(layer, image), image.channels,
                                    "depthwise_kernel", "", layer.flag("use_bias", true)});
    return {e.activated(y, layer.function("activation"), "activation")};
}

Tensors convertSeparable(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, inputs[0], 2);
    const KerasTensor deep = convolve(
        e, image, windowOf(layer, image),
        {depthwiseChannels(layer, image), image.channels, "depthwise_kernel", "depthwise", false});
    const KerasImage between = kerasImage(e, deep, 2);
    const std::vector<std::int64_t> ones{1, 1};
    const KerasWindow point{ones, ones, ones, {0, 0}, {0, 0}, between.spatial};
    const KerasTensor y = convolve(
        e, between, point,
        {layer.integer("filters"), 1, "pointwise_kernel", "", layer.flag("use_bias", true)});
    return {e.activated(y, layer.function("activation"), "activation")};
}

} // namespace

void addKerasConvolutions(KerasConversions& table) {
    table["Conv1D"] = convertConv<1>;
    table["Conv2D"] = convertConv<2>;
    table["Conv3D"] = convertConv<3>;
    table["DepthwiseConv2D"] = convertDepthwise;
    table["SeparableConv2D"] = convertSeparable;
}

} // namespace tilescope::sim
