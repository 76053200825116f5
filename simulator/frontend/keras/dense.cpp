// Dense, activations, normalisations, Embedding, and layers that inference leaves out.

#include <fmt/format.h>

#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

Tensors convertDense(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    KerasTensor x = e.asKeras(inputs[0]);
    if (x.shape.empty())
        throw layer.error("its operand has no dimension after the batch");
    const std::int64_t units = layer.integer("units");
    const bool biased = layer.flag("use_bias", true);
    const std::string kernel = e.weight("kernel", {x.shape.back(), units});
    if (x.shape.size() == 1 && biased) {
        x.value = e.apply("Gemm", "", {x.value, kernel, e.weight("bias", {units})});
    } else {
        x.value = e.apply("MatMul", biased ? "matmul" : "", {x.value, kernel});
        if (biased)
            x.value = e.apply("Add", "", {x.value, e.weight("bias", {units})});
    }
    x.shape.back() = units;
    return {e.activated(x, layer.function("activation"), "activation")};
}

Tensors convertActivation(KerasEmitter& e, const Tensors& inputs) {
    return {e.activated(inputs[0], e.layer().function("activation"), "")};
}

Tensors convertRelu(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    const double slope = layer.realOr("negative_slope", 0);
    if (layer.realOr("threshold", 0) != 0)
        throw layer.keyError("threshold", "must be 0");
    KerasTensor x = e.padded(inputs[0]);
    if (layer.has("max_value")) {
        if (slope != 0)
            throw layer.keyError("negative_slope", "must be 0 beside a max_value");
        x.value = e.apply(
            "Clip", "", {x.value, e.real("low", 0), e.real("high", layer.realOr("max_value", 6))});
    } else if (slope != 0) {
        x.value = e.apply("LeakyRelu", "", {x.value}, {{"alpha", slope}});
    } else {
        x.value = e.apply("Relu", "", {x.value});
    }
    return {x};
}

Tensors convertLeakyRelu(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    // Keras 3 renamed the key.
    const double slope = e.layer().realOr("alpha", e.layer().realOr("negative_slope", 0.3));
    x.value = e.apply("LeakyRelu", "", {x.value}, {{"alpha", slope}});
    return {x};
}

Tensors convertElu(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    x.value = e.apply("Elu", "", {x.value}, {{"alpha", e.layer().realOr("alpha", 1)}});
    return {x};
}

/// `axis` as a number or a list of one.
std::int64_t oneAxis(const LayerReader& layer) {
    if (!layer.has("axis"))
        return -1;
    const std::vector<std::int64_t> axes = layer.list("axis");
    if (axes.size() != 1)
        throw layer.keyError("axis", "must name one dimension");
    return axes[0];
}

Tensors convertSoftmax(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    x.value = e.apply("Softmax", "", {x.value}, {{"axis", e.onnxAxis(x, oneAxis(e.layer()))}});
    return {x};
}

Tensors convertBatchNorm(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    std::int64_t axis = e.onnxAxis(x, oneAxis(e.layer()));
    const bool lastAxis = !x.channelsFirst && axis == static_cast<std::int64_t>(x.shape.size());
    if (axis != 1 && lastAxis) {
        x = e.withChannelsFirst(x);
        axis = 1;
    }
    if (axis != 1)
        throw e.layer().keyError("axis", "must be that of the channels");
    const std::int64_t channels = x.channelsFirst ? x.shape.back() : x.shape.front();
    std::vector<std::string> operands{x.value};
    for (const char* part : {"gamma", "beta", "moving_mean", "moving_variance"})
        operands.push_back(e.weight(part, {channels}));
    x.value = e.apply("BatchNormalization", "", operands,
                      {{"epsilon", e.layer().realOr("epsilon", 1e-3)}});
    return {x};
}

Tensors convertLayerNorm(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.asKeras(inputs[0]);
    if (e.onnxAxis(x, oneAxis(e.layer())) != static_cast<std::int64_t>(x.shape.size()))
        throw e.layer().keyError("axis", "must be the last dimension");
    x.value =
        e.apply("LayerNormalization", "",
                {x.value, e.weight("gamma", {x.shape.back()}), e.weight("beta", {x.shape.back()})},
                {{"axis", std::int64_t{-1}}, {"epsilon", e.layer().realOr("epsilon", 1e-3)}});
    return {x};
}

/// Groups of channels; scale and shift may be left out.
Tensors convertGroupNorm(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    const bool named = layer.has("channels_axis"); // Graphcore's layer
    const std::int64_t axis = named ? layer.list("channels_axis").front() : oneAxis(layer);
    KerasTensor x = e.padded(inputs[0]);
    if (e.onnxAxis(x, axis) != 1)
        x = e.withChannelsFirst(x);
    if (e.onnxAxis(x, axis) != 1)
        throw layer.keyError(named ? "channels_axis" : "axis", "must be that of the channels");
    const std::int64_t channels = x.channelsFirst ? x.shape.back() : x.shape.front();
    const std::int64_t groups = layer.has("groups") && layer.list("groups").front() == -1 ? channels
                                : layer.has("groups") ? layer.integer("groups")
                                                      : 32;
    if (channels % groups != 0)
        throw layer.keyError("groups", fmt::format("must divide the {} channels", channels));
    x.value = e.apply("ai.graphcore.GroupNormalization", "",
                      {x.value, e.weight("gamma", {channels}), e.weight("beta", {channels})},
                      {{"num_groups", groups}, {"epsilon", layer.realOr("epsilon", 1e-3)}});
    return {x};
}

/// Graphcore's layer: its operand is kept for the backward pass.
Tensors convertCheckpoint(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = inputs[0];
    x.value = e.apply("Identity", "", {x.value}, {{"__recompute_output", std::int64_t{0}}});
    return {x};
}

Tensors convertEmbedding(KerasEmitter& e, const Tensors& inputs) {
    const LayerReader& layer = e.layer();
    KerasTensor x = e.asKeras(inputs[0]);
    const std::int64_t width = layer.integer("output_dim");
    x.value = e.apply("Gather", "",
                      {e.weight("embeddings", {layer.integer("input_dim"), width}), x.value});
    x.shape.push_back(width);
    return {x};
}

Tensors convertDropout(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    x.value = e.apply("Dropout", "", {x.value, e.real("rate", e.layer().realOr("rate", 0.5))});
    return {x};
}

Tensors convertRescaling(KerasEmitter& e, const Tensors& inputs) {
    KerasTensor x = e.padded(inputs[0]);
    const double offset = e.layer().realOr("offset", 0);
    x.value = e.apply("Mul", offset == 0 ? "" : "mul",
                      {x.value, e.real("scale", e.layer().realOr("scale", 1))});
    if (offset != 0)
        x.value = e.apply("Add", "", {x.value, e.real("offset", offset)});
    return {x};
}

/// Layers that do nothing in a compiled program: noise is added in training on the host, masks and
/// costs are handled by Keras.
Tensors passOn(KerasEmitter&, const Tensors& inputs) {
    return {inputs[0]};
}

} // namespace

void addKerasDense(KerasConversions& table) {
    table["Dense"] = convertDense;
    table["Activation"] = convertActivation;
    table["ReLU"] = convertRelu;
    table["LeakyReLU"] = convertLeakyRelu;
    table["ELU"] = convertElu;
    table["Softmax"] = convertSoftmax;
    for (const char* name :
         {"BatchNormalization", "BatchNormalizationV1", "SyncBatchNormalization"})
        table[name] = convertBatchNorm;
    table["LayerNormalization"] = convertLayerNorm;
    table["GroupNormalization"] = convertGroupNorm;
    table["GroupNorm"] = convertGroupNorm;
    table["RecomputationCheckpoint"] = convertCheckpoint;
    table["Embedding"] = convertEmbedding;
    for (const char* name : {"Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"})
        table[name] = convertDropout;
    table.insert(
        {{"Rescaling", convertRescaling}, {"ActivityRegularization", passOn}, {"Masking", passOn}});
}

} // namespace tilescope::sim
