// Sliding windows: convolutions, plain, by channel and separable, and pools.
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

Tensors convertConv(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, inputs[0], dimensions);
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

Tensors pool(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions,
             const std::string& type) {
    const LayerReader& layer = e.layer();
    const KerasTensor x = e.padded(inputs[0]);
    const KerasImage image = kerasImage(e, x, dimensions);
    const std::vector<std::int64_t> size = layer.integers("pool_size", dimensions);
    const KerasWindow window =
        kerasWindow(layer, image.spatial, size,
                    layer.has("strides") ? layer.integers("strides", dimensions) : size,
                    std::vector<std::int64_t>(dimensions, 1), {});
    const std::string value = e.apply(
        type, "", {image.tensor.value},
        {{"kernel_shape", window.size}, {"strides", window.strides}, {"pads", window.pads()}});
    return {image.with(value, image.channels, window.output)};
}

Tensors poolAll(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions,
                const std::string& type) {
    const KerasImage image = kerasImage(e, e.padded(inputs[0]), dimensions);
    const bool kept = e.layer().flag("keepdims", false);
    const std::string value = e.apply(type, kept ? "" : "pool", {image.tensor.value});
    if (kept)
        return {image.with(value, image.channels, Shape(dimensions, 1))};
    return {{e.apply("Flatten", "", {value}), {image.channels}}};
}

} // namespace

void addKerasConvolutions(KerasConversions& table) {
    for (std::size_t n = 1; n <= 3; ++n) {
        table[fmt::format("Conv{}D", n)] = with(convertConv, n);
        table[fmt::format("MaxPooling{}D", n)] = with(pool, n, "MaxPool");
        table[fmt::format("AveragePooling{}D", n)] = with(pool, n, "AveragePool");
        table[fmt::format("GlobalAveragePooling{}D", n)] = with(poolAll, n, "GlobalAveragePool");
        table[fmt::format("GlobalMaxPooling{}D", n)] = with(poolAll, n, "GlobalMaxPool");
    }
    table["DepthwiseConv2D"] = convertDepthwise;
    table["SeparableConv2D"] = convertSeparable;
}

} // namespace tilescope::sim
