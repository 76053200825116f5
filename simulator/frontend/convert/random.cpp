// Operators that generate constant or random tensors, and operators on single bits.
#include <cmath>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Random numbers for each element of a tensor (poprand: a result laid out like a reference).
TensorId randomLike(NodeConverter& node, const std::string& part, ElementwiseAttributes random,
                    TensorId like, DataType type) {
    return node.builder().addOp(node.node(),
                                part.empty() ? node.node().name : node.node().name + "/" + part,
                                random, {like}, std::nullopt, type);
}

/// With the node's bounds, or mean and deviation.
ElementwiseAttributes distributionOf(const NodeConverter& node, ElementwiseFunction function) {
    const bool uniform = function == RandomUniform;
    return {function, node.node().real(uniform ? "low" : "mean", 0),
            node.node().real(uniform ? "high" : "scale", 1)};
}

template <ElementwiseFunction function> void convertRandomLike(NodeConverter& node) {
    node.result(randomLike(node, "", distributionOf(node, function), node.input(0),
                           node.builder().deviceType(node.output().type)));
}

template <ElementwiseFunction function> void convertRandom(NodeConverter& node) {
    const DataType type = node.builder().deviceType(node.output().type);
    const TensorId zeros = node.builder().addOp(node.node(), node.node().name + "/reference",
                                                FillAttributes{}, {}, node.output().shape, type);
    node.result(randomLike(node, "", distributionOf(node, function), zeros, type));
}

/// True with the probability that the operand says.
void convertBernoulli(NodeConverter& node) {
    const TensorId x = node.input(0);
    const TensorId random =
        randomLike(node, "uniform", {RandomUniform, 0, 1}, x, node.builder().tensor(x).type);
    const TensorId drawn = node.elementwise("less", Less, {random, x});
    node.result(node.cast("", drawn, node.builder().deviceType(node.output().type)));
}

/// A matrix that is part of the program.
void giveMatrix(NodeConverter& node, const ElementNumbers& numbers) {
    node.result(node.constantTensor("matrix", node.builder().deviceType(node.output().type),
                                    node.output().shape, numbers));
}

void convertEyeLike(NodeConverter& node) {
    const std::int64_t diagonal = node.node().integer("k", 0);
    const std::int64_t columns = node.at(node.output().shape, 1);
    giveMatrix(node, [=](std::int64_t i) { return i % columns - i / columns == diagonal; });
}

/// Triangles over the bins of a spectrum, evenly spaced on the mel scale (ONNX MelWeightMatrix).
std::vector<double> melWeights(NodeConverter& node) {
    const auto number = [&](std::size_t i) { return node.constant(i).real(0); };
    const std::int64_t bands = node.at(node.output().shape, 1);
    const std::int64_t bins = node.at(node.output().shape, 0);
    const auto melOf = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double low = melOf(number(3));
    const double step = (melOf(number(4)) - low) / static_cast<double>(bands + 2);
    const auto binOf = [&](std::int64_t i) {
        const double hertz = 700 * (std::pow(10, (low + static_cast<double>(i) * step) / 2595) - 1);
        return std::floor((number(1) + 1) * hertz / number(2));
    };
    std::vector<double> weights(static_cast<std::size_t>(bins * bands), 0);
    for (std::int64_t band = 0; band < bands; ++band) {
        const double left = binOf(band), middle = binOf(band + 1), right = binOf(band + 2);
        for (std::int64_t bin = 0; bin < bins; ++bin) {
            const auto at = static_cast<double>(bin);
            double& weight = weights[static_cast<std::size_t>(bin * bands + band)];
            if (at >= left && at <= middle)
                weight = middle == left ? 1 : (at - left) / (middle - left);
            else if (at >= middle && at < right)
                weight = (right - at) / (right - middle);
        }
    }
    return weights;
}

void convertMelWeightMatrix(NodeConverter& node) {
    std::vector<double> weights;
    if (node.builder().keepsValues())
        weights = melWeights(node);
    giveMatrix(node, [&](std::int64_t i) { return weights[static_cast<std::size_t>(i)]; });
}

void convertBitShift(NodeConverter& node) {
    const std::string direction = node.node().text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        NodeConverter::refuse(
            fmt::format("direction '{}' is none of 'LEFT' and 'RIGHT'", direction));
    const bool left = direction == "LEFT";
    const bool narrow = left && node.output().type == ElementType::UInt16;
    const TensorId shifted = node.elementwise(narrow ? "shift" : "", left ? ShiftLeft : ShiftRight,
                                              {node.input(0), node.input(1)});
    // The device keeps them in 32 bits.
    constexpr double lowBits = 0xFFFF;
    node.result(narrow ? node.elementwise("", BitwiseAnd,
                                          {shifted, node.scalar("lowBits", shifted, lowBits)})
                       : shifted);
}

/// Zero near zero, and nearer to zero beyond: two comparisons, two sums and two choices.
void convertShrink(NodeConverter& node) {
    const TensorId x = node.input(0);
    const double lambd = node.node().real("lambd", 0.5);
    const double bias = node.node().real("bias", 0);
    if (!isFloating(node.builder().tensor(x).type) && bias != std::round(bias))
        node.refuseToCompute("it moves whole numbers by a fraction");
    const auto limit = [&](const char* part, double value) { return node.scalar(part, x, value); };
    const TensorId above = node.elementwise("greater", Greater, {x, limit("lambd", lambd)});
    const TensorId below = node.elementwise("less", Less, {x, limit("minusLambd", -lambd)});
    const TensorId lowered = node.elementwise("subtract", Subtract, {x, limit("bias", bias)});
    const TensorId raised = node.elementwise("add", Add, {x, limit("addedBias", bias)});
    const TensorId inner = node.elementwise("select", Select, {below, raised, limit("zero", 0)});
    node.result(node.elementwise("", Select, {above, lowered, inner}));
}

} // namespace

void addRandomConversions(ConversionTable& table) {
    table["RandomUniformLike"] = convertRandomLike<RandomUniform>;
    table["RandomNormalLike"] = convertRandomLike<RandomNormal>;
    table["RandomUniform"] = convertRandom<RandomUniform>;
    table["RandomNormal"] = convertRandom<RandomNormal>;
    table["Bernoulli"] = convertBernoulli;
    table["EyeLike"] = convertEyeLike;
    table["MelWeightMatrix"] = convertMelWeightMatrix;
    table["BitShift"] = convertBitShift;
    table["Shrink"] = convertShrink;
}

} // namespace tilescope::sim
