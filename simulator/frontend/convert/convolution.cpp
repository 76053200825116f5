// Sliding windows: Conv, the BatchNormalization after it that inference folds into it, and pools.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/onnx_types/own_attributes.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

struct Window {
    std::vector<std::int64_t> kernel, strides, dilations, padsBegin, padsEnd;
};

std::vector<std::int64_t> listOr(const Node& node, const std::string& attribute, std::size_t count,
                                 std::int64_t fallback) {
    auto values = node.integers(attribute);
    if (values.empty())
        values.assign(count, fallback);
    if (values.size() != count)
        NodeConverter::refuse(fmt::format("attribute '{}' has {} values where {} belong", attribute,
                                          values.size(), count));
    return values;
}

/// How far the windows of `positions` outputs extend beyond the input.
std::int64_t paddingFor(const Window& window, std::size_t d, std::int64_t size,
                        std::int64_t positions) {
    const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
    return std::max<std::int64_t>(0, (positions - 1) * window.strides[d] + reach - size);
}

void padAutomatically(Window& window, const Shape& input, bool lower) {
    for (std::size_t d = 0; d < window.kernel.size(); ++d) {
        const std::int64_t size = input[d + 2];
        const std::int64_t positions = ceilDiv(size, window.strides[d]);
        const std::int64_t total = paddingFor(window, d, size, positions);
        window.padsBegin[d] = lower ? total - total / 2 : total / 2;
        window.padsEnd[d] = total - window.padsBegin[d];
    }
}

void roundUp(Window& window, const Shape& input, const Shape& output) {
    for (std::size_t d = 0; d < window.kernel.size() && d + 2 < output.size(); ++d) {
        const std::int64_t needed =
            paddingFor(window, d, input[d + 2] + window.padsBegin[d], output[d + 2]);
        window.padsEnd[d] = std::max(window.padsEnd[d], needed);
    }
}

/// Kernel, strides, dilations and pads of a node whose input is [N, C, spatial...]. Automatic
/// padding becomes numbers, and rounding up (ceil_mode) becomes padding at the end.
Window windowOf(const NodeConverter& converter, const std::vector<std::int64_t>& kernel) {
    const Node& node = converter.node();
    const Shape& input = converter.shape(0);
    const std::size_t dims = kernel.size();
    if (dims == 0 || input.size() != dims + 2)
        NodeConverter::refuse(fmt::format("input {} and kernel {} do not fit together",
                                          toString(input), toString(kernel)));
    Window window{
        kernel, listOr(node, "strides", dims, 1), listOr(node, "dilations", dims, 1), {}, {}};
    const auto pads = listOr(node, "pads", 2 * dims, 0);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(dims);
    window.padsBegin.assign(pads.begin(), middle);
    window.padsEnd.assign(middle, pads.end());
    const std::string automatic = node.text("auto_pad", "NOTSET");
    if (automatic == "VALID") {
        window.padsBegin.assign(dims, 0);
        window.padsEnd.assign(dims, 0);
    } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        padAutomatically(window, input, automatic == "SAME_LOWER");
    } else if (automatic != "NOTSET") {
        NodeConverter::refuse(fmt::format(
            "auto_pad is '{}': it can be NOTSET, SAME_UPPER, SAME_LOWER or VALID", automatic));
    }
    if (node.integer("ceil_mode", 0) != 0)
        roundUp(window, input, converter.output().shape);
    return window;
}

/// One window over all of [N, C, spatial...].
Window globalWindow(const Shape& input) {
    if (input.size() < 3)
        NodeConverter::refuse("its input has no spatial dimension");
    Window window;
    window.kernel.assign(input.begin() + 2, input.end());
    window.strides.assign(window.kernel.size(), 1);
    window.dilations = window.strides;
    window.padsBegin.assign(window.kernel.size(), 0);
    window.padsEnd = window.padsBegin;
    return window;
}

} // namespace

ConvAttributes convolutionOf(const NodeConverter& node, const Shape& weights) {
    if (weights.size() < 3)
        NodeConverter::refuse(
            fmt::format("weights of shape {} have no spatial dimension", toString(weights)));
    const std::vector<std::int64_t> kernel(weights.begin() + 2, weights.end());
    const auto stated = node.node().integers("kernel_shape");
    if (!stated.empty() && stated != kernel)
        NodeConverter::refuse(fmt::format("kernel_shape {} is not that of weights {}",
                                          toString(stated), toString(weights)));
    const Window window = windowOf(node, kernel);
    return {window.kernel,    window.strides, window.dilations,
            window.padsBegin, window.padsEnd, node.node().integer("group", 1)};
}

namespace {

void convertConv(NodeConverter& node) {
    const Shape& weights = node.shape(1);
    const ConvAttributes conv = convolutionOf(node, weights);
    const TensorId product = node.emit("", conv, {node.input(0), node.input(1)});
    const auto isOwn = [&](std::size_t i) {
        return node.has(i) && node.value(i).role == TensorRole::Weight && node.value(i).uses == 1;
    };
    const auto note = [&](TensorId bias) {
        node.builder().noteConvolution(node.node().outputs[0],
                                       {node.node().name, node.input(1), bias, isOwn(1), isOwn(2)});
    };
    if (!node.has(2)) {
        note({});
        node.result(product);
        return;
    }
    const TensorId bias = node.parameter(2, channelShape(weights[0], weights.size()));
    node.result(node.elementwise("bias", ElementwiseFunction::Add, {product, bias}));
    note(bias);
}

/// Pads, from the size of its result, of the convolution whose backward pass a ConvTranspose is.
/// No pad removes the part of the result beyond its windows (output_padding).
void padTransposed(const NodeConverter& node, Window& window, const Shape& in, const Shape& out) {
    const std::string automatic = node.node().text("auto_pad", "NOTSET");
    const bool fromSize = automatic != "NOTSET" || !node.node().integers("output_shape").empty();
    if (!fromSize)
        return;
    const auto extra = listOr(node.node(), "output_padding", window.kernel.size(), 0);
    for (std::size_t d = 0; d < window.kernel.size(); ++d) {
        const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
        const std::int64_t full = window.strides[d] * (in[d + 2] - 1) + extra[d] + reach;
        const std::int64_t total = std::max<std::int64_t>(0, full - out[d + 2]);
        window.padsBegin[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
        window.padsEnd[d] = total - window.padsBegin[d];
    }
}

/// The backward pass of a convolution from the result to the input (PopART ConvTransposePattern:
/// a convolution with flipped weights, as the data gradient is).
void convertConvTranspose(NodeConverter& node) {
    const Shape& weights = node.shape(1);
    if (weights.size() < 3)
        NodeConverter::refuse(
            fmt::format("weights of shape {} have no spatial dimension", toString(weights)));
    const std::vector<std::int64_t> kernel(weights.begin() + 2, weights.end());
    const Shape out = node.output().shape;
    const Node& onnx = node.node();
    const std::size_t dims = kernel.size();
    const auto pads = listOr(onnx, "pads", 2 * dims, 0);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(dims);
    Window window{kernel,
                  listOr(onnx, "strides", dims, 1),
                  listOr(onnx, "dilations", dims, 1),
                  {pads.begin(), middle},
                  {middle, pads.end()}};
    if (node.rank(0) != dims + 2 || out.size() != dims + 2)
        NodeConverter::refuse(fmt::format("input {} and kernel {} do not fit together",
                                          toString(node.shape(0)), toString(kernel)));
    padTransposed(node, window, node.shape(0), out);
    const ConvGradInputAttributes transposed{{window.kernel, window.strides, window.dilations,
                                              window.padsBegin, window.padsEnd,
                                              onnx.integer("group", 1)}};
    const auto forward = outputShape(transposed.conv, {out, weights});
    if (forward != node.shape(0))
        NodeConverter::refuse(fmt::format("its result {} does not follow from its input {}",
                                          toString(out), toString(node.shape(0))));
    TensorId y = node.emit("", transposed, {node.input(0), node.input(1)}, out);
    if (node.has(2))
        y = node.elementwise("bias", ElementwiseFunction::Add,
                             {y, node.parameter(2, channelShape(out[1], out.size()))});
    node.result(y);
}

bool isTraining(const NodeConverter& node) {
    if (node.node().integer("training_mode", 0) != 0)
        return true;
    // Before operator set 7 an attribute chose, later the number of outputs did.
    for (std::size_t i = 1; i < node.node().outputs.size(); ++i) {
        if (node.isOutputUsed(i))
            return true;
    }
    return false;
}

double epsilonOf(const NodeConverter& node) {
    return node.node().real("epsilon", NormAttributes{}.epsilon);
}

/// Folds factor and summand of a normalisation by given statistics into a convolution's weights and
/// bias. False where other operations read these, or their values are computed.
bool foldValues(NodeConverter& node, const GraphBuilder::Convolution& conv, TensorId bias) {
    GraphBuilder& builder = node.builder();
    const auto valueOf = [&](std::size_t i) { return builder.tensor(node.input(i)).value; };
    enum Operand : std::size_t { Scale = 1, Shift, Mean, Variance };
    const auto scale = valueOf(Scale), shift = valueOf(Shift), mean = valueOf(Mean),
               variance = valueOf(Variance), weights = builder.tensor(conv.weights).value;
    const auto added = conv.bias.valid() ? builder.tensor(conv.bias).value : nullptr;
    const bool known = scale && shift && mean && variance && weights && conv.ownsWeights &&
                       (conv.bias.valid() ? added && conv.ownsBias : node.value(Shift).uses == 1);
    if (!known)
        return false;
    const double epsilon = epsilonOf(node);
    TensorData newWeights = weights->copy();
    const TensorId target = conv.bias.valid() ? conv.bias : bias;
    TensorData newBias(builder.tensor(target).type, builder.tensor(target).shape);
    const std::int64_t channels = newBias.elements();
    const std::int64_t each = newWeights.elements() / channels;
    for (std::int64_t c = 0; c < channels; ++c) {
        const double factor = scale->number(c) / std::sqrt(variance->number(c) + epsilon);
        const double before = added ? added->number(c) : 0;
        newBias.setNumber(c, (before - mean->number(c)) * factor + shift->number(c));
        for (std::int64_t i = c * each; i < (c + 1) * each; ++i)
            newWeights.setNumber(i, newWeights.number(i) * factor);
    }
    builder.setValue(conv.weights, std::move(newWeights));
    builder.setValue(target, std::move(newBias));
    return true;
}

/// The scale goes into the weights and the shift becomes the bias.
bool foldIntoConvolution(NodeConverter& node) {
    const auto conv = node.builder().convolutionOf(node.node().inputs[0]);
    if (!node.builder().foldsNormalisations() || !conv || node.value(0).uses != 1)
        return false;
    const Shape channels = channelShape(node.at(node.shape(0), 1), node.rank(0));
    const TensorId bias = conv->bias.valid() ? TensorId() : node.parameter(2, channels);
    if (node.builder().keepsValues() && !foldValues(node, *conv, bias))
        return false;
    node.builder().count("BatchNormalization", "folded into the convolution before");
    if (conv->bias.valid()) {
        node.result(node.input(0));
        return true;
    }
    node.result(node.emitAt(conv->name + "/bias",
                            ElementwiseAttributes{ElementwiseFunction::Add, 0, 0},
                            {node.input(0), bias}));
    return true;
}

/// Normalises with the statistics of the batch, and updates the running ones, its further outputs,
/// which need not be read.
void keepBatchNormalization(NodeConverter& node, const Shape& perChannel) {
    for (std::size_t i = 1; i < node.node().outputs.size(); ++i)
        if (node.isOutputUsed(i))
            NodeConverter::refuse(fmt::format("its output {} is read; only the normalised data are "
                                              "supported in training",
                                              i));
    NormAttributes norm{{}, true};
    norm.epsilon = epsilonOf(node);
    norm.momentum = node.node().real("momentum", 0.9);
    norm.unbiased = node.node().integer(unbiasedVarianceAttribute, 0) != 0;
    for (std::size_t d = 0; d < node.rank(0); ++d)
        if (d != 1)
            norm.axes.push_back(static_cast<std::int64_t>(d));
    std::vector<TensorId> operands{node.input(0)};
    for (const std::size_t operand : {1, 2, 3, 4})
        operands.push_back(node.parameter(operand, perChannel));
    node.result(node.emit("", norm, std::move(operands)));
    node.builder().count("BatchNormalization", "trained with the statistics of each micro-batch");
}

/// Normalises with the model's own statistics (popart popx/op/batchnormx.cpp, popnn's
/// batchNormalise), combined into one factor and one summand per channel.
void normaliseByGiven(NodeConverter& node, const Shape& perChannel) {
    using enum ElementwiseFunction;
    enum Operand : std::size_t { Scale = 1, Bias, Mean, Variance };
    const auto parameter = [&](Operand operand) { return node.parameter(operand, perChannel); };
    const TensorId deviation = node.elementwise("invStdDev", VarianceToInverseStdDeviation,
                                                {parameter(Variance)}, epsilonOf(node));
    const TensorId factor = node.elementwise("factor", Multiply, {deviation, parameter(Scale)});
    const TensorId moved = node.elementwise("moved", Multiply, {factor, parameter(Mean)});
    const TensorId summand = node.elementwise("summand", Subtract, {parameter(Bias), moved});
    const TensorId scaled = node.elementwise("scale", Multiply, {node.input(0), factor});
    node.result(node.elementwise("", Add, {scaled, summand}));
}

void convertBatchNormalization(NodeConverter& node) {
    const bool trains = node.builder().isTraining();
    if (!trains && isTraining(node))
        NodeConverter::refuse("it is in training mode; export the model in evaluation mode, or run "
                              "it with --mode training");
    if (node.rank(0) < 2)
        NodeConverter::refuse("its input has no channels");
    const Shape perChannel = channelShape(node.shape(0)[1], node.rank(0));
    for (const std::size_t operand : {1, 2, 3, 4}) {
        if (elementsOf(node.shape(operand)) != perChannel[0])
            NodeConverter::refuse(fmt::format("operand {} has {} values for {} channels", operand,
                                              elementsOf(node.shape(operand)), perChannel[0]));
    }
    if (trains && node.node().integer(frozenStatisticsAttribute, 0) == 0) {
        keepBatchNormalization(node, perChannel);
        return;
    }
    if (!foldIntoConvolution(node))
        normaliseByGiven(node, perChannel);
}

void emitPool(NodeConverter& node, PoolKind kind, const Window& window, bool countIncludePad) {
    const PoolAttributes pool{
        kind,           window.kernel,  window.strides, window.dilations, window.padsBegin,
        window.padsEnd, countIncludePad};
    node.result(node.emit("", pool, {node.input(0)}));
}

template <PoolKind kind> void convertPool(NodeConverter& node) {
    if (node.isOutputUsed(1))
        NodeConverter::refuse("its second output, the indices, is not supported");
    const bool countsPads = node.node().integer("count_include_pad", 0) != 0;
    if (kind == PoolKind::Average && countsPads && node.node().integer("ceil_mode", 0) != 0)
        node.refuseToCompute("a mean that counts padding has windows that end beyond it");
    emitPool(node, kind, windowOf(node, node.node().integers("kernel_shape")), countsPads);
}

template <PoolKind kind> void convertGlobalPool(NodeConverter& node) {
    emitPool(node, kind, globalWindow(node.shape(0)), false);
}

} // namespace

void addConvolutionConversions(ConversionTable& table) {
    table["Conv"] = convertConv;
    table["ConvTranspose"] = convertConvTranspose;
    table["BatchNormalization"] = convertBatchNormalization;
    table["MaxPool"] = convertPool<PoolKind::Max>;
    table["AveragePool"] = convertPool<PoolKind::Average>;
    table["GlobalMaxPool"] = convertGlobalPool<PoolKind::Max>;
    table["GlobalAveragePool"] = convertGlobalPool<PoolKind::Average>;
}

} // namespace tilescope::sim
