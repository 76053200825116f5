// Layers that move elements: Flatten, Reshape, Permute, padding, cropping.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "simulator/frontend/keras/window.h"
#include "simulator/frontend/onnx_types/own_attributes.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

/// The order of elements only permutes the weights of the next layer, which have no values here.
Tensors convertFlatten(KerasEmitter& e, const Tensors& inputs) {
    const KerasTensor x = e.padded(inputs[0]);
    if (x.shape.size() == 1)
        return {x};
    ZooAttributes attributes;
    if (x.channelsFirst)
        attributes.emplace_back(channelsFirstAttribute,
                                static_cast<std::int64_t>(x.shape.size()) + 1);
    return {{e.apply("Flatten", "", {x.value}, attributes), {kerasElements(e, x.shape)}}};
}

/// target_shape, with the one open size (-1) filled in.
Shape targetShape(const KerasEmitter& e, const Shape& from) {
    const LayerReader& layer = e.layer();
    Shape shape = layer.list("target_shape");
    const std::int64_t elements = kerasElements(e, from);
    std::int64_t known = 1;
    const auto open = std::find(shape.begin(), shape.end(), -1);
    for (const std::int64_t size : shape)
        if (size != -1) {
            if (size < 1 || known > elements / size)
                throw layer.keyError("target_shape",
                                     fmt::format("does not have the {} elements of its operand {}",
                                                 elements, toString(from)));
            known *= size;
        }
    if (open != shape.end())
        *open = elements / known;
    if (kerasElements(e, shape) != elements)
        throw layer.keyError("target_shape",
                             fmt::format("does not have the {} elements of its operand {}",
                                         elements, toString(from)));
    return shape;
}

Tensors convertReshape(KerasEmitter& e, const Tensors& inputs) {
    // A vector becomes an image with its channels first, which only permutes the weights of the
    // previous layer.
    constexpr std::size_t imageRank = 3;
    KerasTensor x = e.asKeras(inputs[0]);
    const bool fromVector = x.shape.size() == 1;
    x.shape = targetShape(e, x.shape);
    Shape stored = x.shape;
    x.channelsFirst = fromVector && stored.size() >= imageRank;
    if (x.channelsFirst)
        std::rotate(stored.begin(), stored.end() - 1, stored.end());
    stored.insert(stored.begin(), 0); // ONNX: the size as it is, the batch
    x.value = e.apply("Reshape", "", {x.value, e.integers("shape", stored)});
    return {x};
}

Tensors convertPermute(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.asKeras(inputs[0]);
    const std::vector<std::int64_t> dims = e.layer().integers("dims", x.shape.size());
    std::vector<std::int64_t> sorted = dims, wanted(dims.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(wanted.begin(), wanted.end(), 1);
    if (sorted != wanted)
        throw e.layer().keyError("dims",
                                 fmt::format("must have each of 1 to {} once", dims.size()));
    std::vector<std::int64_t> order{0};
    order.insert(order.end(), dims.begin(), dims.end());
    Shape shape;
    for (const std::int64_t dim : dims)
        shape.push_back(x.shape[static_cast<std::size_t>(dim - 1)]);
    x.value = e.apply("Transpose", "", {x.value}, {{"perm", order}});
    x.shape = shape;
    return {x};
}

Tensors convertRepeat(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.asKeras(inputs[0]);
    if (x.shape.size() != 1)
        throw e.layer().error("its operand must be a vector");
    const std::int64_t times = e.layer().integer("n");
    const std::string row = e.apply("Unsqueeze", "unsqueeze", {x.value, e.integers("axis", {1})});
    x.value = e.apply("Tile", "", {row, e.integers("times", {1, times, 1})});
    x.shape.insert(x.shape.begin(), times);
    return {x};
}

using Margins = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// A number for all sides, one for each dimension, or a pair for each; of one dimension also a pair
/// alone.
Margins margins(const LayerReader& layer, std::string_view key, std::size_t dimensions) {
    Margins result;
    const boost::json::value* value = layer.layer().config.if_contains(key);
    const boost::json::array* list = value == nullptr ? nullptr : value->if_array();
    const bool pairs = list != nullptr && !list->empty() && list->front().is_array();
    if (dimensions == 1 || !pairs) {
        const std::vector<std::int64_t> each =
            layer.integers(key, dimensions == 1 && list != nullptr ? 2 : dimensions, 0);
        if (dimensions == 1)
            return {{each.front(), each.back()}};
        for (const std::int64_t size : each)
            result.emplace_back(size, size);
        return result;
    }
    if (list->size() != dimensions)
        throw layer.keyError(key, fmt::format("must have {} pairs", dimensions));
    for (const boost::json::value& entry : *list) {
        KerasLayer one;
        one.name = layer.layer().name;
        one.type = layer.layer().type;
        one.config[key] = entry;
        const std::vector<std::int64_t> both = LayerReader(layer.origin(), one).integers(key, 2, 0);
        result.emplace_back(both[0], both[1]);
    }
    return result;
}

Tensors convertZeroPadding(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions) {
    const KerasImage image = kerasImage(e, e.padded(inputs[0]), dimensions);
    const Margins zeros = margins(e.layer(), "padding", dimensions);
    Shape spatial = image.spatial;
    for (std::size_t i = 0; i < dimensions; ++i)
        spatial[i] += zeros[i].first + zeros[i].second;
    KerasTensor result = image.with(image.tensor.value, image.channels, spatial);
    result.padding = zeros;
    return {result};
}

Tensors convertCropping(KerasEmitter& e, const Tensors& inputs, std::size_t dimensions) {
    const KerasImage image = kerasImage(e, e.padded(inputs[0]), dimensions);
    const Margins cut = margins(e.layer(), "cropping", dimensions);
    std::vector<std::int64_t> starts, ends, axes;
    Shape spatial = image.spatial;
    for (std::size_t i = 0; i < dimensions; ++i) {
        starts.push_back(cut[i].first);
        ends.push_back(image.spatial[i] - cut[i].second);
        axes.push_back(static_cast<std::int64_t>(i) + 2);
        spatial[i] = ends[i] - starts[i];
        if (spatial[i] < 1)
            throw e.layer().keyError("cropping",
                                     fmt::format("leaves nothing of {}", toString(image.spatial)));
    }
    const std::string value = e.apply("Slice", "",
                                      {image.tensor.value, e.integers("starts", starts),
                                       e.integers("ends", ends), e.integers("axes", axes)});
    return {image.with(value, image.channels, spatial)};
}

} // namespace

void addKerasShapes(KerasConversions& table) {
    table["Flatten"] = convertFlatten;
    table["Reshape"] = convertReshape;
    table["Permute"] = convertPermute;
    table["RepeatVector"] = convertRepeat;
    for (std::size_t n = 1; n <= 3; ++n) {
        table[fmt::format("ZeroPadding{}D", n)] = with(convertZeroPadding, n);
        table[fmt::format("Cropping{}D", n)] = with(convertCropping, n);
    }
}

} // namespace tilescope::sim
