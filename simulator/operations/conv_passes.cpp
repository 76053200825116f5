#include "simulator/operations/conv_passes.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

std::int64_t spanOf(const SingleConvLayer& layer, std::size_t d) {
    return (layer.kernel[d] - 1) * layer.dilation[d] + 1;
}

bool isDilated(const SingleConvLayer& layer) {
    return std::any_of(layer.inDilation.begin(), layer.inDilation.end(),
                       [](std::int64_t by) { return by != 1; });
}

/// Of the convolution itself, or of the strided one whose gradient it is.
ConvAttributes attributesOf(const SingleConvLayer& layer) {
    ConvAttributes conv{layer.kernel,       layer.stride,       layer.dilation,
                        layer.paddingLower, layer.paddingUpper, layer.groups};
    if (!isDilated(layer))
        return conv;
    conv.strides = layer.inDilation;
    for (std::size_t d = 0; d < layer.field.size(); ++d) {
        conv.padsBegin[d] = spanOf(layer, d) - 1 - layer.paddingLower[d];
        conv.padsEnd[d] = spanOf(layer, d) - 1 - layer.paddingUpper[d];
    }
    return conv;
}

} // namespace

ConvShapes shapesOf(const SingleConvLayer& layer) {
    const std::int64_t perGroup = layer.inputChannels / layer.groups;
    ConvShapes shapes{{layer.batchSize, layer.inputChannels},
                      {layer.outputChannels, perGroup},
                      {layer.batchSize, layer.outputChannels}};
    if (isDilated(layer))
        shapes.weights = {layer.inputChannels, layer.outputChannels / layer.groups};
    for (std::size_t d = 0; d < layer.field.size(); ++d) {
        const std::int64_t by = layer.inDilation.empty() ? 1 : layer.inDilation[d];
        const std::int64_t padded =
            (layer.field[d] - 1) * by + 1 + layer.paddingLower[d] + layer.paddingUpper[d];
        shapes.in.push_back(layer.field[d]);
        shapes.weights.push_back(layer.kernel[d]);
        shapes.out.push_back((padded - spanOf(layer, d)) / layer.stride[d] + 1);
    }
    return shapes;
}

ConvPass forwardPass(const SingleConvLayer& layer, TensorId in, TensorId weights) {
    ConvAttributes conv = attributesOf(layer);
    conv.trained = !layer.inferenceOnly;
    if (isDilated(layer))
        return {"ConvGradInput", ConvGradInputAttributes{conv}, {in, weights}};
    return {"Conv", conv, {in, weights}};
}

ConvPass backwardPass(const SingleConvLayer& layer, TensorId delta, TensorId weights) {
    const ConvAttributes conv = attributesOf(layer);
    if (isDilated(layer))
        return {"Conv", conv, {delta, weights}};
    return {"ConvGradInput", ConvGradInputAttributes{conv}, {delta, weights}};
}

ConvPass updatePass(const SingleConvLayer& layer, TensorId in, TensorId delta) {
    const ConvGradWeightsAttributes update{attributesOf(layer)};
    if (isDilated(layer))
        return {"ConvGradWeights", update, {delta, in}};
    return {"ConvGradWeights", update, {in, delta}};
}

} // namespace tilescope::sim
