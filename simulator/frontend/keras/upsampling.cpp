// Layers that make images larger: repeated or interpolated pixels, and transposed convolutions.
#include <fmt/format.h>

#include "simulator/frontend/keras/window.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

Tensors convertUpsampling(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, e.padded(inputs[0]), dimensions);
    const std::vector<std::int64_t> sizes = layer.integers("size", dimensions);
    const std::string mode = layer.text("interpolation", "nearest");
    if (mode != "nearest" && mode != "bilinear" && mode != "bicubic")
        throw layer.keyError("interpolation", "must be nearest, bilinear or bicubic");
    std::vector<double> scales{1, 1};
    Shape spatial = image.spatial;
    for (std::size_t i = 0; i < dimensions; ++i) {
        if (sizes[i] > largestKerasSize / spatial[i])
            throw layer.keyError("size", "makes an image larger than any model has");
        spatial[i] *= sizes[i];
        scales.push_back(static_cast<double>(sizes[i]));
    }
    const std::string value =
        e.apply("Resize", "", {image.tensor.value, "", e.reals("scales", scales)},
                {{"mode", std::string(mode == "nearest"    ? "nearest"
                                      : mode == "bilinear" ? "linear"
                                                           : "cubic")},
                 {"nearest_mode", std::string("floor")},
                 {"coordinate_transformation_mode",
                  std::string(mode == "nearest" ? "asymmetric" : "half_pixel")}});
    return {image.with(value, image.channels, spatial)};
}

/// The size of one dimension of the result (Keras deconv_output_length).
std::int64_t transposedSize(const LayerReader& layer, std::int64_t size, std::int64_t reach,
                            std::int64_t stride, std::optional<std::int64_t> extra) {
    const bool same = layer.text("padding", "valid") == "same";
    if (extra)
        return (size - 1) * stride + reach - (same ? 2 * (reach / 2) : 0) + *extra;
    return same ? size * stride : size * stride + std::max<std::int64_t>(reach - stride, 0);
}

Tensors convertTransposed(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions) {
    const LayerReader& layer = e.layer();
    const KerasImage image = kerasImage(e, e.padded(inputs[0]), dimensions);
    const std::vector<std::int64_t> ones(dimensions, 1);
    const auto kernel = layer.integers("kernel_size", dimensions);
    const auto strides = layer.has("strides") ? layer.integers("strides", dimensions) : ones;
    const auto dilations =
        layer.has("dilation_rate") ? layer.integers("dilation_rate", dimensions) : ones;
    const bool named = layer.has("output_padding");
    const auto extra = named ? layer.integers("output_padding", dimensions, 0) : ones;
    const std::int64_t filters = layer.integer("filters");
    Shape spatial;
    std::vector<std::int64_t> pads(2 * dimensions), rest(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
        if (strides[i] > largestKerasSize / image.spatial[i])
            throw layer.keyError("strides", "make an image larger than any model has");
        spatial.push_back(transposedSize(layer, image.spatial[i], reach, strides[i],
                                         named ? std::optional(extra[i]) : std::nullopt));
        if (spatial.back() < 1)
            throw layer.error("its window leaves nothing of its operand");
        // What is cut off; if that is odd, one more at the end, as TensorFlow does.
        const std::int64_t cut = (image.spatial[i] - 1) * strides[i] + reach - spatial.back();
        pads[i] = std::max<std::int64_t>(cut, 0) / 2;
        pads[dimensions + i] = std::max<std::int64_t>(cut, 0) - pads[i];
        rest[i] = std::max<std::int64_t>(-cut, 0);
    }
    Shape weights{image.channels, filters};
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    std::vector<std::string> operands{image.tensor.value, e.weight("kernel", weights)};
    if (layer.flag("use_bias", true))
        operands.push_back(e.weight("bias", {filters}));
    const std::string value = e.apply("ConvTranspose", "", operands,
                                      {{"kernel_shape", kernel},
                                       {"strides", strides},
                                       {"dilations", dilations},
                                       {"pads", pads},
                                       {"output_padding", rest}});
    return {e.activated(image.with(value, filters, spatial), layer.function("activation"),
                        "activation")};
}

} // namespace

void addKerasUpsampling(KerasConversions& table) {
    for (std::size_t n = 1; n <= 3; ++n) {
        table[fmt::format("UpSampling{}D", n)] = with(convertUpsampling, n);
        table[fmt::format("Conv{}DTranspose", n)] = with(convertTransposed, n);
    }
}

} // namespace tilescope::sim
