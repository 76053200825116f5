// Pools over windows and over everything.
#include "simulator/frontend/keras/window.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

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

template <std::size_t Dimensions> Tensors convertMaxPool(KerasEmitter& e, const Tensors& inputs) {
    return pool(e, inputs, Dimensions, "MaxPool");
}

template <std::size_t Dimensions>
Tensors convertAveragePool(KerasEmitter& e, const Tensors& inputs) {
    return pool(e, inputs, Dimensions, "AveragePool");
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

template <std::size_t Dimensions>
Tensors convertGlobalAverage(KerasEmitter& e, const Tensors& inputs) {
    return poolAll(e, inputs, Dimensions, "GlobalAveragePool");
}

template <std::size_t Dimensions> Tensors convertGlobalMax(KerasEmitter& e, const Tensors& inputs) {
    return poolAll(e, inputs, Dimensions, "GlobalMaxPool");
}

} // namespace

void addKerasPooling(KerasConversions& table) {
    table["MaxPooling1D"] = convertMaxPool<1>;
    table["MaxPooling2D"] = convertMaxPool<2>;
    table["MaxPooling3D"] = convertMaxPool<3>;
    table["AveragePooling1D"] = convertAveragePool<1>;
    table["AveragePooling2D"] = convertAveragePool<2>;
    table["AveragePooling3D"] = convertAveragePool<3>;
    table["GlobalAveragePooling1D"] = convertGlobalAverage<1>;
    table["GlobalAveragePooling2D"] = convertGlobalAverage<2>;
    table["GlobalAveragePooling3D"] = convertGlobalAverage<3>;
    table["GlobalMaxPooling1D"] = convertGlobalMax<1>;
    table["GlobalMaxPooling2D"] = convertGlobalMax<2>;
    table["GlobalMaxPooling3D"] = convertGlobalMax<3>;
}

} // namespace tilescope::sim
