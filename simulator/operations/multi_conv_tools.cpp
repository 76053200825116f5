// Graphs of convolutions that are planned together.
#include <cmath>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/operations/operation_graph.h"
#include "simulator/operations/operations.h"

namespace tilescope::sim {
namespace {

ConvAttributes attributesOf(const SingleConvLayer& layer) {
    return {layer.kernel,       layer.stride,       layer.dilation,
            layer.paddingLower, layer.paddingUpper, layer.groups};
}

struct PartShapes {
    Shape in, weights, out;
};

PartShapes shapesOf(const SingleConvLayer& layer) {
    PartShapes shapes{{layer.batchSize, layer.inputChannels},
                      {layer.outputChannels, layer.inputChannels / layer.groups},
                      {layer.batchSize, layer.outputChannels}};
    for (std::size_t d = 0; d < layer.field.size(); ++d) {
        const std::int64_t span = (layer.kernel[d] - 1) * layer.dilation[d] + 1;
        shapes.in.push_back(layer.field[d]);
        shapes.weights.push_back(layer.kernel[d]);
        shapes.out.push_back(
            (layer.field[d] + layer.paddingLower[d] + layer.paddingUpper[d] - span) /
                layer.stride[d] +
            1);
    }
    return shapes;
}

/// A convolution that keeps the field's size.
SingleConvLayer samePart(std::vector<std::int64_t> field, const OctaveConvTool& tool,
                         std::int64_t in, std::int64_t out) {
    SingleConvLayer part;
    const std::size_t dims = field.size();
    part.field = std::move(field);
    part.kernel.assign(dims, tool.kernel);
    part.stride.assign(dims, 1);
    part.dilation.assign(dims, 1);
    part.paddingLower.assign(dims, (tool.kernel - 1) / 2);
    part.paddingUpper = part.paddingLower;
    part.inputChannels = in;
    part.outputChannels = out;
    part.batchSize = tool.batchSize;
    return part;
}

/// Each element of the field twice along each dimension.
TensorId upsampled(OperationGraph& g, TensorId of) {
    const Shape shape = g.graph().tensors[of].shape;
    Shape split{shape[0], shape[1]}, repeated = split, result = split;
    for (std::size_t d = 2; d < shape.size(); ++d) {
        split.insert(split.end(), {shape[d], 1});
        repeated.insert(repeated.end(), {shape[d], 2});
        result.push_back(2 * shape[d]);
    }
    const TensorId apart = g.op("upsample/split", "Reshape", ReshapeAttributes{}, {of}, split);
    const TensorId twice = g.op("upsample/expand", "Expand", ExpandAttributes{}, {apart}, repeated);
    return g.op("upsample", "Reshape", ReshapeAttributes{}, {twice}, result);
}

} // namespace

Graph graphOf(const MultiConvTool& tool, DataType type) {
    OperationGraph g("multi_conv", type);
    const auto with = std::make_shared<const MultiConv>(tool.options);
    const auto named = [](const char* what, std::size_t part) {
        return fmt::format("{}{}", what, part);
    };
    std::vector<TensorId> in, weights;
    for (std::size_t i = 0; i < tool.parts.size(); ++i) {
        const PartShapes shapes = shapesOf(tool.parts[i]);
        in.push_back(g.held(named("prevAct", i), shapes.in));
        weights.push_back(g.held(named("weights", i), shapes.weights));
    }
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        g.download(g.together(with, named("fwd", i), "Conv", attributesOf(tool.parts[i]),
                              {in[i], weights[i]}, shapesOf(tool.parts[i]).out));
    if (tool.parts.front().inferenceOnly)
        return g.take();
    std::vector<TensorId> deltas;
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        deltas.push_back(g.held(named("zDeltas", i), shapesOf(tool.parts[i]).out));
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        g.download(g.together(with, named("bwd", i), "ConvGradInput",
                              ConvGradInputAttributes{attributesOf(tool.parts[i])},
                              {deltas[i], weights[i]}, shapesOf(tool.parts[i]).in));
    std::vector<TensorId> changes;
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        changes.push_back(g.together(with, named("wu", i), "ConvGradWeights",
                                     ConvGradWeightsAttributes{attributesOf(tool.parts[i])},
                                     {in[i], deltas[i]}, shapesOf(tool.parts[i]).weights));
    for (std::size_t i = 0; i < tool.parts.size(); ++i)
        g.scaledAdd(named("wu", i) + "/AddTo", weights[i], changes[i]);
    return g.take();
}

Graph graphOf(const OctaveConvTool& tool, DataType type) {
    const auto lowOf = [&](std::int64_t channels) {
        return static_cast<std::int64_t>(std::llround(tool.alpha * static_cast<double>(channels)));
    };
    const std::int64_t lowIn = lowOf(tool.inputChannels), lowOut = lowOf(tool.outputChannels);
    const std::int64_t highIn = tool.inputChannels - lowIn, highOut = tool.outputChannels - lowOut;
    std::vector<std::int64_t> half;
    for (const std::int64_t size : tool.field) {
        if (size % 2 != 0)
            throw UserError(fmt::format(
                "--field: {} has no half; an octave convolution needs even sizes", size));
        half.push_back(size / 2);
    }
    if (tool.kernel % 2 == 0)
        throw UserError(
            fmt::format("--kernel-size: {} is even; an octave convolution keeps the field's size",
                        tool.kernel));
    if (std::min({lowIn, lowOut, highIn, highOut}) < 1)
        throw UserError(fmt::format("--alpha: {} leaves one of the two frequencies without "
                                    "channels; choose it between 0 and 1",
                                    tool.alpha));
    OperationGraph g("octave_conv", type);
    const auto with = std::make_shared<const MultiConv>(tool.options);
    const SingleConvLayer highHigh = samePart(tool.field, tool, highIn, highOut),
                          lowLow = samePart(half, tool, lowIn, lowOut),
                          highLow = samePart(half, tool, highIn, lowOut),
                          lowHigh = samePart(half, tool, lowIn, highOut);
    const TensorId high = g.held("high", shapesOf(highHigh).in);
    const TensorId low = g.held("low", shapesOf(lowLow).in);
    PoolAttributes pool;
    pool.kind = PoolKind::Average;
    pool.kernel.assign(half.size(), 2);
    pool.strides = pool.kernel;
    pool.dilations.assign(half.size(), 1);
    pool.padsBegin.assign(half.size(), 0);
    pool.padsEnd = pool.padsBegin;
    const TensorId pooled = g.op("pool", "Pool", pool, {high}, shapesOf(highLow).in);
    const auto conv = [&](const char* name, const SingleConvLayer& part, TensorId in) {
        const PartShapes shapes = shapesOf(part);
        const TensorId weights = g.held(fmt::format("{}/weights", name), shapes.weights);
        return g.together(with, name, "Conv", attributesOf(part), {in, weights}, shapes.out);
    };
    const TensorId fromHigh = conv("highToHigh", highHigh, high);
    const TensorId highToLow = conv("highToLow", highLow, pooled);
    const TensorId lowToLow = conv("lowToLow", lowLow, low);
    const TensorId lowToHigh = conv("lowToHigh", lowHigh, low);
    const ElementwiseAttributes add{ElementwiseFunction::Add};
    g.download(
        g.op("high/sum", "Add", add, {fromHigh, upsampled(g, lowToHigh)}, shapesOf(highHigh).out));
    g.download(g.op("low/sum", "Add", add, {lowToLow, highToLow}, shapesOf(lowLow).out));
    return g.take();
}

} // namespace tilescope::sim
