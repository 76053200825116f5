// Integers that represent reals. The IPU's matrix unit multiplies half and float only: 8-bit
// integers, which half holds exactly, are cast to half for products and summed in float, which
// holds sums of up to 2^24 exactly.
#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// A scale or zero point that belongs to the whole operand or to rows along an axis of it.
TensorId alongAxis(NodeConverter& node, std::size_t i, std::size_t rank, std::int64_t axis) {
    const Shape& shape = node.shape(i);
    if (elementsOf(shape) == 1 || shape.size() != 1)
        return node.input(i);
    if (static_cast<std::size_t>(axis) >= rank)
        NodeConverter::refuse(fmt::format(
            "operand {} has {} values, one for each row of an operand without rows", i, shape[0]));
    Shape aligned(rank - static_cast<std::size_t>(axis), 1);
    aligned[0] = shape[0];
    return node.reshape(fmt::format("align{}", i), node.input(i), aligned);
}

void noteIntegers(NodeConverter& node) {
    node.builder().count(node.node().type, "computed in half: the matrix unit has no integers");
}

/// Round(x / scale) + zero point, within the range of the result's type.
TensorId quantized(NodeConverter& node, TensorId x, TensorId scale, TensorId zero, DataType type) {
    const DataType real = node.builder().tensor(x).type;
    const TensorId scaled =
        node.elementwise("divide", Divide, {x, node.cast("scale", scale, real)});
    TensorId y = node.elementwise("round", Round, {scaled});
    if (zero.valid())
        y = node.elementwise("zeroPoint", Add, {y, node.cast("zeroPoint/cast", zero, real)});
    const bool isSigned = type == DataType::Int8;
    y = node.elementwise("saturate", Clip, {y}, isSigned ? -128 : 0, isSigned ? 127 : 255);
    return node.cast("", y, type);
}

void convertQuantize(NodeConverter& node) {
    const std::size_t rank = node.rank(0);
    const std::int64_t axis = elementsOf(node.shape(1)) == 1 ? 0 : node.axis("axis", 1);
    const TensorId zero = node.has(2) ? alongAxis(node, 2, rank, axis) : TensorId();
    const TensorId x = node.input(0);
    const TensorId real =
        isFloating(node.builder().tensor(x).type) ? x : node.cast("real", x, DataType::Float);
    node.result(quantized(node, real, alongAxis(node, 1, rank, axis), zero,
                          node.builder().deviceType(node.output().type)));
}

/// An integer operand less its zero point, as a real of that type.
TensorId centred(NodeConverter& node, const std::string& part, TensorId x, TensorId zero,
                 DataType type) {
    const TensorId real = node.cast(part + "/cast", x, type);
    if (!zero.valid())
        return real;
    return node.elementwise(part + "/zeroPoint", Subtract,
                            {real, node.cast(part + "/zeroPoint/cast", zero, type)});
}

void convertDequantize(NodeConverter& node) {
    const std::size_t rank = node.rank(0);
    const std::int64_t axis = elementsOf(node.shape(1)) == 1 ? 0 : node.axis("axis", 1);
    const TensorId scale = alongAxis(node, 1, rank, axis);
    const TensorId zero = node.has(2) ? alongAxis(node, 2, rank, axis) : TensorId();
    const TensorId x = centred(node, "x", node.input(0), zero, node.builder().tensor(scale).type);
    node.result(node.elementwise("", Multiply, {x, scale}));
}

TensorId optionalInput(NodeConverter& node, std::size_t i) {
    return node.has(i) ? node.input(i) : TensorId();
}

/// A weight's zero points by output channel, its first dimension.
TensorId perFilter(NodeConverter& node, std::size_t i, std::size_t rank) {
    return node.has(i) ? alongAxis(node, i, rank, 0) : TensorId();
}

/// A scale or zero point of a product's left operand, for all of it or by row.
TensorId perRow(NodeConverter& node, std::size_t i) {
    if (!node.has(i))
        return {};
    const Shape& shape = node.shape(i);
    return shape.size() == 1 && shape[0] > 1
               ? node.reshape(fmt::format("rows{}", i), node.input(i), {shape[0], 1})
               : node.input(i);
}

/// A product of halves with a float result.
TensorId summedInFloat(NodeConverter& node, const std::string& part, const Attributes& attributes,
                       TensorId a, TensorId b) {
    return node.builder().addOp(node.node(), node.node().name + "/" + part, attributes, {a, b},
                                std::nullopt, DataType::Float);
}

void convertConvInteger(NodeConverter& node) {
    noteIntegers(node);
    const ConvAttributes conv = convolutionOf(node, node.shape(1));
    const TensorId x = centred(node, "x", node.input(0), optionalInput(node, 2), DataType::Half);
    const TensorId w =
        centred(node, "w", node.input(1), perFilter(node, 3, node.rank(1)), DataType::Half);
    node.result(node.cast("", summedInFloat(node, "conv", conv, x, w), DataType::Int32));
}

void convertMatMulInteger(NodeConverter& node) {
    noteIntegers(node);
    const TensorId a = centred(node, "a", node.input(0), perRow(node, 2), DataType::Half);
    const TensorId b = centred(node, "b", node.input(1), optionalInput(node, 3), DataType::Half);
    node.result(
        node.cast("", summedInFloat(node, "matmul", MatMulAttributes{}, a, b), DataType::Int32));
}

/// A product of quantised operands (0: data, scale, zero point; 3: the same of the other),
/// quantised again by scale and zero point 6 and 7.
TensorId requantized(NodeConverter& node, TensorId product, TensorId scale, TensorId otherScale) {
    const DataType real = node.builder().tensor(product).type;
    TensorId y = node.elementwise("scaleA", Multiply, {product, node.cast("sA", scale, real)});
    y = node.elementwise("scaleB", Multiply, {y, node.cast("sB", otherScale, real)});
    return quantized(node, y, node.input(6), optionalInput(node, 7),
                     node.builder().deviceType(node.output().type));
}

void convertQLinearConv(NodeConverter& node) {
    noteIntegers(node);
    const ConvAttributes conv = convolutionOf(node, node.shape(3));
    const TensorId x = centred(node, "x", node.input(0), optionalInput(node, 2), DataType::Half);
    const TensorId w =
        centred(node, "w", node.input(3), perFilter(node, 5, node.rank(3)), DataType::Half);
    TensorId y = summedInFloat(node, "conv", conv, x, w);
    if (node.has(8))
        y = node.elementwise(
            "bias", Add,
            {y,
             node.cast("bias/cast", node.parameter(8, channelShape(node.shape(3)[0], node.rank(0))),
                       DataType::Float)});
    // Scales of the filters are along the result's channels.
    node.result(requantized(node, y, node.input(1), alongAxis(node, 4, node.rank(0), 1)));
}

void convertQLinearMatMul(NodeConverter& node) {
    noteIntegers(node);
    const TensorId a = centred(node, "a", node.input(0), perRow(node, 2), DataType::Half);
    const TensorId b = centred(node, "b", node.input(3), optionalInput(node, 5), DataType::Half);
    const TensorId y = summedInFloat(node, "matmul", MatMulAttributes{}, a, b);
    node.result(requantized(node, y, perRow(node, 1), node.input(4)));
}

} // namespace

void addQuantizationConversions(ConversionTable& table) {
    table["QuantizeLinear"] = convertQuantize;
    table["DequantizeLinear"] = convertDequantize;
    table["ConvInteger"] = convertConvInteger;
    table["MatMulInteger"] = convertMatMulInteger;
    table["QLinearConv"] = convertQLinearConv;
    table["QLinearMatMul"] = convertQLinearMatMul;
}

} // namespace tilescope::sim
