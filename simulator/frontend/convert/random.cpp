// Operators that make tensors of nothing or of chance, and of single bits.
#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// What ONNX's random operators say of their numbers.
ElementwiseAttributes distribution(const NodeConverter& node, ElementwiseFunction function) {
    const Node& onnx = node.node();
    if (function == RandomUniform)
        return {function, onnx.real("low", 0), onnx.real("high", 1)};
    return {function, onnx.real("mean", 0), onnx.real("scale", 1)};
}

/// Random numbers for each element of a tensor (poprand: a result laid out like a reference).
TensorId randomLike(NodeConverter& node, const std::string& part, ElementwiseFunction function,
                    TensorId like, DataType type) {
    return node.builder().addOp(node.node(),
                                part.empty() ? node.node().name : node.node().name + "/" + part,
                                distribution(node, function), {like}, std::nullopt, type);
}

template <ElementwiseFunction function> void convertRandomLike(NodeConverter& node) {
    node.result(randomLike(node, "", function, node.input(0),
                           node.builder().deviceType(node.output().type)));
}

template <ElementwiseFunction function> void convertRandom(NodeConverter& node) {
    const DataType type = node.builder().deviceType(node.output().type);
    const TensorId zeros = node.builder().addOp(node.node(), node.node().name + "/reference",
                                                FillAttributes{}, {}, node.output().shape, type);
    node.result(randomLike(node, "", function, zeros, type));
}

/// True with the probability that the operand says.
void convertBernoulli(NodeConverter& node) {
    const TensorId x = node.input(0);
    const TensorId random =
        randomLike(node, "uniform", RandomUniform, x, node.builder().tensor(x).type);
    const TensorId drawn = node.elementwise("less", Less, {random, x});
    node.result(node.cast("", drawn, node.builder().deviceType(node.output().type)));
}

/// A matrix that is part of the program.
void convertConstantMatrix(NodeConverter& node) {
    node.result(node.builder().addTensor(node.node().name + "/matrix", node.output().shape,
                                         node.builder().deviceType(node.output().type),
                                         TensorRole::Constant));
}

void convertBitShift(NodeConverter& node) {
    const std::string direction = node.node().text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        NodeConverter::refuse(
            fmt::format("direction '{}' is none of 'LEFT' and 'RIGHT'", direction));
    node.result(node.elementwise("", direction == "LEFT" ? ShiftLeft : ShiftRight,
                                 {node.input(0), node.input(1)}));
}

/// Zero near zero, and nearer to zero beyond: two comparisons, two sums and two choices.
void convertShrink(NodeConverter& node) {
    const TensorId x = node.input(0);
    const auto limit = [&](const char* part) { return node.scalar(part, x); };
    const TensorId above = node.elementwise("greater", Greater, {x, limit("lambd")});
    const TensorId below = node.elementwise("less", Less, {x, limit("minusLambd")});
    const TensorId lowered = node.elementwise("subtract", Subtract, {x, limit("bias")});
    const TensorId raised = node.elementwise("add", Add, {x, limit("minusBias")});
    const TensorId inner = node.elementwise("select", Select, {below, raised, limit("zero")});
    node.result(node.elementwise("", Select, {above, lowered, inner}));
}

} // namespace

void addRandomConversions(ConversionTable& table) {
    table["RandomUniformLike"] = convertRandomLike<RandomUniform>;
    table["RandomNormalLike"] = convertRandomLike<RandomNormal>;
    table["RandomUniform"] = convertRandom<RandomUniform>;
    table["RandomNormal"] = convertRandom<RandomNormal>;
    table["Bernoulli"] = convertBernoulli;
    table["EyeLike"] = convertConstantMatrix;
    table["MelWeightMatrix"] = convertConstantMatrix;
    table["BitShift"] = convertBitShift;
    table["Shrink"] = convertShrink;
}

} // namespace tilescope::sim
