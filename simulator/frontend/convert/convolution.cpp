// Conv, and the BatchNormalization after it that inference folds into it.
#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/convert/window.h"

namespace tilescope::sim {

namespace {

void convertConv(NodeConverter& node) {
    const Shape& weights = node.shape(1);
    if (weights.size() < 3)
        NodeConverter::refuse(
            fmt::format("weights of shape {} have no spatial dimension", toString(weights)));
    const std::vector<std::int64_t> kernel(weights.begin() + 2, weights.end());
    const auto stated = node.node().integers("kernel_shape");
    if (!stated.empty() && stated != kernel)
        NodeConverter::refuse(fmt::format("kernel_shape {} is not that of weights {}",
                                          toString(stated), toString(weights)));
    Window window = windowOf(node, kernel);
    const ConvAttributes conv{window.kernel,    window.strides, window.dilations,
                              window.padsBegin, window.padsEnd, node.node().integer("group", 1)};
    const TensorId product = node.emit("", conv, {node.input(0), node.input(1)});
    if (!node.has(2)) {
        node.builder().noteConvolution(node.node().outputs[0], {node.node().name, false});
        node.result(product);
        return;
    }
    const TensorId bias = node.parameter(2, channelShape(weights[0], weights.size()));
    node.result(node.elementwise("bias", ElementwiseFunction::Add, {product, bias}));
    node.builder().noteConvolution(node.node().outputs[0], {node.node().name, true});
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

/// The scale goes into the weights and the shift becomes the bias, whose values do not matter here.
bool foldIntoConvolution(NodeConverter& node) {
    const auto conv = node.builder().convolutionOf(node.node().inputs[0]);
    if (!conv || node.value(0).uses != 1)
        return false;
    node.builder().count("BatchNormalization", "folded into the convolution before");
    if (conv->hasBias) {
        node.result(node.input(0));
        return true;
    }
    const TensorId bias = node.parameter(2, channelShape(node.at(node.shape(0), 1), node.rank(0)));
    node.result(node.emitAt(conv->name + "/bias",
                            ElementwiseAttributes{ElementwiseFunction::Add, 0, 0},
                            {node.input(0), bias}));
    return true;
}

/// Normalises with the statistics of the batch, and updates the running ones. Its further outputs
/// are these, which nobody needs to read.
void keepBatchNormalization(NodeConverter& node, const Shape& perChannel) {
    for (std::size_t i = 1; i < node.node().outputs.size(); ++i)
        if (node.isOutputUsed(i))
            NodeConverter::refuse(fmt::format("its output {} is read; only the normalised data are "
                                              "supported in training",
                                              i));
    NormAttributes norm{{}, true};
    for (std::size_t d = 0; d < node.rank(0); ++d)
        if (d != 1)
            norm.axes.push_back(static_cast<std::int64_t>(d));
    std::vector<TensorId> operands{node.input(0)};
    for (const std::size_t operand : {1, 2, 3, 4})
        operands.push_back(node.parameter(operand, perChannel));
    node.result(node.emit("", norm, std::move(operands)));
    node.builder().count("BatchNormalization", "trained with the statistics of each micro-batch");
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
    if (trains) {
        keepBatchNormalization(node, perChannel);
        return;
    }
    if (foldIntoConvolution(node))
        return;
    const TensorId scaled = node.elementwise("scale", ElementwiseFunction::Multiply,
                                             {node.input(0), node.parameter(1, perChannel)});
    node.result(
        node.elementwise("", ElementwiseFunction::Add, {scaled, node.parameter(2, perChannel)}));
}

} // namespace

void addConvolutionConversions(ConversionTable& table) {
    table["Conv"] = convertConv;
    table["BatchNormalization"] = convertBatchNormalization;
}

} // namespace tilescope::sim
