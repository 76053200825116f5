// Activation functions, those with parameters and those composed of elementwise functions.
#include <limits>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/onnx_types/own_attributes.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

void convertLeakyRelu(NodeConverter& node) {
    node.result(node.elementwise("", LeakyRelu, {node.input(0)}, node.node().real("alpha", 0.01)));
}

void convertElu(NodeConverter& node) {
    node.result(node.elementwise("", Elu, {node.input(0)}, node.node().real("alpha", 1)));
}

void convertSelu(NodeConverter& node) {
    const bool first = node.node().opset < 6;
    const double alpha = node.node().real("alpha", first ? 1.6732 : 1.67326319217681884765625);
    const double gamma = node.node().real("gamma", first ? 1.0507 : 1.05070102214813232421875);
    const TensorId elu = node.elementwise("elu", Elu, {node.input(0)}, alpha);
    node.result(node.elementwise("", Multiply, {elu, node.scalar("gamma", elu, gamma)}));
}

void convertCelu(NodeConverter& node) {
    const TensorId x = node.input(0);
    const double size = node.node().real("alpha", 1);
    if (size == 1)
        return node.result(node.elementwise("", Elu, {x}, 1));
    const TensorId alpha = node.scalar("alpha", x, size);
    const TensorId narrowed = node.elementwise("divide", Divide, {x, alpha});
    const TensorId elu = node.elementwise("elu", Elu, {narrowed}, 1);
    node.result(node.elementwise("", Multiply, {elu, alpha}));
}

void convertHardSigmoid(NodeConverter& node) {
    node.result(node.elementwise("", HardSigmoid, {node.input(0)}, node.node().real("alpha", 0.2),
                                 node.node().real("beta", 0.5)));
}

void convertSoftsign(NodeConverter& node) {
    const TensorId x = node.input(0);
    const TensorId size = node.elementwise("abs", Abs, {x});
    const TensorId sum = node.elementwise("add", Add, {size, node.scalar("one", x, 1)});
    node.result(node.elementwise("", Divide, {x, sum}));
}

void convertThresholdedRelu(NodeConverter& node) {
    const TensorId x = node.input(0);
    const TensorId alpha = node.scalar("alpha", x, node.node().real("alpha", 1));
    const TensorId above = node.elementwise("greater", Greater, {x, alpha});
    node.result(node.elementwise("", Select, {above, x, node.scalar("zero", x, 0)}));
}

void convertPRelu(NodeConverter& node) {
    const bool perChannel = node.node().opset < 7 && node.rank(1) == 1 && node.rank(0) >= 2 &&
                            node.shape(1)[0] == node.shape(0)[1];
    const TensorId slope = perChannel
                               ? node.parameter(1, channelShape(node.shape(1)[0], node.rank(0)))
                               : node.input(1);
    const TensorId x = node.input(0);
    if (isFloating(node.builder().tensor(x).type))
        return node.result(node.elementwise("", PRelu, {x, slope}));
    const TensorId below = node.elementwise("less", Less, {x, node.scalar("zero", x, 0)});
    const TensorId product = node.elementwise("multiply", Multiply, {x, slope});
    node.result(node.elementwise("", Select, {below, product, x}));
}

/// A bound that is an attribute in older operator sets and an operand in newer ones.
double bound(const NodeConverter& node, const std::string& attribute, std::size_t position,
             double fallback) {
    if (!node.has(position))
        return node.node().real(attribute, fallback);
    const Constant& value = node.constant(position);
    if (value.size() != 1)
        NodeConverter::refuse(fmt::format("its {} is not a scalar", attribute));
    return value.real(0);
}

void convertClip(NodeConverter& node) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto isKnown = [&](std::size_t i) { return !node.has(i) || node.value(i).data; };
    if (isKnown(1) && isKnown(2)) {
        const double low = bound(node, "min", 1, -infinity);
        const double high = bound(node, "max", 2, infinity);
        ElementwiseAttributes clip{Clip, low, high};
        clip.slopesAtEnds = node.node().integer(slopesAtEndsAttribute, 0) != 0;
        return node.result(node.emit("", clip, {node.input(0)}));
    }
    TensorId x = node.input(0);
    if (node.has(1))
        x = node.elementwise(node.has(2) ? "min" : "", Max, {x, node.input(1)});
    if (node.has(2))
        x = node.elementwise("", Min, {x, node.input(2)});
    node.result(x);
}

bool isKnownRatio(const NodeConverter& node) {
    return node.value(1).data && node.constant(1).size() == 1 && isReal(node.constant(1).type);
}

/// The share of elements that are dropped: an attribute before operator set 12, an operand after.
double dropoutRatio(const NodeConverter& node) {
    if (node.node().opset < 12)
        return node.node().real("ratio", 0.5);
    if (!node.has(1))
        return 0.5;
    return isKnownRatio(node) ? node.constant(1).real(0) : 0.5;
}

/// Whether the node itself requires dropping, in inference and training.
bool dropsAlways(const NodeConverter& node) {
    constexpr std::size_t trainingMode = 2;
    if (!node.has(trainingMode))
        return false;
    const auto& mode = node.value(trainingMode).data;
    if (!mode)
        node.refuseToCompute("its training_mode is only known at run time");
    return mode && mode->size() == 1 && mode->real(0) != 0;
}

/// Keeps elements whose random number is not below the ratio, where the mask is read.
void dropWithMask(NodeConverter& node, double ratio) {
    const TensorId x = node.input(0);
    const TensorId random = node.elementwise("uniform", RandomUniform, {x}, 0, 1);
    const TensorId kept =
        node.elementwise("mask", GreaterEqual, {random, node.scalar("ratio", x, ratio)});
    const TensorId scaled = node.elementwise(
        "scale", Multiply, {x, node.scalar("factor", x, ratio < 1 ? 1 / (1 - ratio) : 0)});
    node.result(node.elementwise("", Select, {kept, scaled, node.scalar("zero", x, 0)}));
    node.result(kept, 1);
}

/// Elements are dropped in training only; the mask is made from the seed again for the gradient, so
/// that it need not be kept.
void convertDropout(NodeConverter& node) {
    const double ratio = dropoutRatio(node);
    const bool drops = node.builder().isTraining() || dropsAlways(node);
    if (drops && node.node().opset >= 12 && node.has(1) && !isKnownRatio(node))
        node.refuseToCompute("its ratio is only known at run time");
    if (!node.builder().isTraining() && ratio > 0 && dropsAlways(node)) {
        if (node.isOutputUsed(1))
            return dropWithMask(node, ratio);
        return node.result(node.elementwise("", Dropout, {node.input(0)}, ratio));
    }
    if (node.builder().isTraining() && ratio > 0) {
        if (node.isOutputUsed(1))
            NodeConverter::refuse("its mask is read; only the dropped data are supported in "
                                  "training");
        node.result(node.elementwise("", Dropout, {node.input(0)}, ratio));
        return;
    }
    node.result(node.input(0));
    if (node.isOutputUsed(1)) {
        const Value& mask = node.output(1);
        node.result(node.builder().addConstant(node.node().outputs[1],
                                               node.builder().deviceType(mask.type), mask.shape,
                                               [](std::int64_t) { return 1; }),
                    1);
    }
    node.builder().count("Dropout", "removed: nothing is dropped in inference");
}

template <bool logarithm> void convertSoftmax(NodeConverter& node) {
    const auto rank = static_cast<std::int64_t>(node.rank(0));
    const bool oneAxis = node.node().opset >= 13;
    const std::int64_t axis = node.axis("axis", oneAxis ? -1 : 1);
    node.result(node.emit("", SoftmaxAttributes{axis, oneAxis ? axis + 1 : rank, logarithm},
                          {node.input(0)}));
}

} // namespace

void addActivationConversions(ConversionTable& table) {
    table["LeakyRelu"] = convertLeakyRelu;
    table["Elu"] = convertElu;
    table["Selu"] = convertSelu;
    table["Celu"] = convertCelu;
    table["HardSigmoid"] = convertHardSigmoid;
    table["Softsign"] = convertSoftsign;
    table["ThresholdedRelu"] = convertThresholdedRelu;
    table["PRelu"] = convertPRelu;
    table["Clip"] = convertClip;
    table["Dropout"] = convertDropout;
    table["Softmax"] = convertSoftmax<false>;
    table["LogSoftmax"] = convertSoftmax<true>;
}

} // namespace tilescope::sim
