// Operators that are one elementwise function.

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/onnx_types/own_attributes.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Operator sets before 7 align the second operand at an axis instead of at the end.
TensorId secondOperand(NodeConverter& node) {
    if (node.node().opset >= 7 || node.node().integer("broadcast", 0) == 0 ||
        !node.node().has("axis"))
        return node.input(1);
    const auto axis = static_cast<std::size_t>(node.axis("axis", 0));
    Shape shape = node.shape(1);
    if (axis + shape.size() > node.rank(0))
        NodeConverter::refuse("its second operand extends beyond the first");
    shape.resize(node.rank(0) - axis, 1);
    return node.reshape("broadcast", node.input(1), shape);
}

using NamedFunctions = std::vector<std::pair<const char*, ElementwiseFunction>>;

void convertMean(NodeConverter& node) {
    const auto inputs = node.allInputs();
    if (inputs.size() == 1)
        return node.result(inputs[0]);
    const TensorId sum = node.elementwise("sum", Add, inputs);
    node.result(node.elementwise(
        "", Multiply, {sum, node.scalar("share", sum, 1 / static_cast<double>(inputs.size()))}));
}

void convertPow(NodeConverter& node) {
    const Value& exponent = node.value(1);
    const bool known = exponent.data && exponent.data->size() == 1 &&
                       broadcastShapes(node.shape(0), exponent.shape) == node.shape(0);
    if (known && exponent.data->real(0) == 2)
        return node.result(node.elementwise("", Square, {node.input(0)}));
    if (known && exponent.data->real(0) == 0.5 && isReal(node.value(0).type))
        return node.result(node.elementwise("", Sqrt, {node.input(0)}));
    const TensorId base = node.input(0);
    const DataType type = node.builder().tensor(base).type;
    if (!isFloating(type) && isReal(exponent.type)) { // a fraction must not be cut off
        const TensorId power = node.elementwise(
            "power", Power, {node.cast("base", base, DataType::Float), node.input(1)});
        return node.result(node.cast("", power, type));
    }
    const TensorId power = node.cast("exponent", node.input(1), type);
    node.result(node.elementwise("", Power, {base, power}));
}

void convertWhere(NodeConverter& node) {
    node.result(node.elementwise("", Select, {node.input(0), node.input(1), node.input(2)}));
}

/// A triangle is chosen by a mask that is part of the program.
void convertTrilu(NodeConverter& node) {
    const Shape& shape = node.shape(0);
    if (shape.size() < 2)
        NodeConverter::refuse("its input is not a matrix");
    const TensorId x = node.input(0);
    const bool upper = node.node().integer("upper", 1) != 0;
    if (node.has(1) && !node.value(1).data)
        node.refuseToCompute("its diagonal is only known at run time");
    const bool known = node.has(1) && node.value(1).data && node.constant(1).size() == 1;
    const std::int64_t diagonal = known ? node.constant(1).ints.at(0) : 0;
    const std::int64_t columns = shape.back();
    const TensorId mask = node.constantTensor(
        "mask", DataType::Bool, {shape.end() - 2, shape.end()}, [=](std::int64_t i) {
            const std::int64_t above = i % columns - i / columns;
            return upper ? above >= diagonal : above <= diagonal;
        });
    node.result(node.elementwise("", Select, {mask, x, node.scalar("zero", x, 0)}));
}

/// C's remainder of reals, or that of a division rounded down.
void convertMod(NodeConverter& node) {
    const double towardsZero = node.node().integer("fmod", 0) != 0 ? 1 : 0;
    node.result(node.elementwise("", Remainder, {node.input(0), node.input(1)}, towardsZero));
}

void convertIsInf(NodeConverter& node) {
    const auto leftOut = [&](const char* attribute) {
        return node.node().integer(attribute, 1) == 0 ? 1.0 : 0.0;
    };
    node.result(node.elementwise("", IsInf, {node.input(0)}, leftOut("detect_negative"),
                                 leftOut("detect_positive")));
}

/// By the error function unless the approximation by tanh is requested.
void convertGelu(NodeConverter& node) {
    const bool exact = node.node().text("approximate", "none") != "tanh";
    node.result(node.elementwise("", Gelu, {node.input(0)}, exact ? 1 : 0));
}

bool fits16Bits(ElementType type) {
    return type == ElementType::Int8 || type == ElementType::UInt8 || type == ElementType::Bool;
}

/// The low 16 bits of a number that the device keeps in 32, signed or unsigned.
TensorId narrowed(NodeConverter& node, TensorId x, bool isSigned) {
    constexpr double bits = 16;
    constexpr double all = 0xFFFF;
    if (!isSigned)
        return node.elementwise("lowBits", BitwiseAnd, {x, node.scalar("bits", x, all)});
    const TensorId distance = node.scalar("distance", x, bits);
    const TensorId high = node.elementwise("high", ShiftLeft, {x, distance});
    return node.elementwise("lowBits", ShiftRight, {high, distance});
}

/// Types that are the same on the device need no cast. Casts to 16 bits cut off the other bits only
/// where values are computed.
void convertCast(NodeConverter& node) {
    const ElementType from = node.value(0).type;
    const ElementType to = node.output().type;
    const TensorId y = node.cast("", node.input(0), node.builder().deviceType(to));
    const bool narrows =
        (to == ElementType::Int16 || to == ElementType::UInt16) && from != to &&
        !(fits16Bits(from) && (to == ElementType::Int16 || from != ElementType::Int8));
    node.result(
        narrows && node.builder().keepsValues() ? narrowed(node, y, to == ElementType::Int16) : y);
}

void convertLog(NodeConverter& node) {
    node.result(
        node.elementwise("", Log, {node.input(0)},
                         static_cast<double>(node.node().integer(leastResultAttribute, 0))));
}

} // namespace

void addElementwiseConversions(ConversionTable& table) {
    const NamedFunctions unary{
        {"Abs", Abs},           {"Acos", Acos},           {"Acosh", Acosh}, {"Asin", Asin},
        {"Asinh", Asinh},       {"Atan", Atan},           {"Atanh", Atanh}, {"Ceil", Ceil},
        {"Cos", Cos},           {"Cosh", Cosh},           {"Erf", Erf},     {"Exp", Exp},
        {"Floor", Floor},       {"HardSwish", HardSwish}, {"IsNaN", IsNan}, {"Neg", Negate},
        {"Not", Not},           {"Reciprocal", Inverse},  {"Relu", Relu},   {"Round", Round},
        {"Sigmoid", Sigmoid},   {"Sign", Sign},           {"Sin", Sin},     {"Sinh", Sinh},
        {"Softplus", Softplus}, {"Sqrt", Sqrt},           {"Tan", Tan},     {"Tanh", Tanh}};
    for (const auto& [name, function] : unary)
        table[name] = [function = function](NodeConverter& node) {
            node.result(node.elementwise("", function, {node.input(0)}));
        };
    const NamedFunctions binary{{"Add", Add},         {"And", And},
                                {"Div", Divide},      {"Equal", Equal},
                                {"Greater", Greater}, {"GreaterOrEqual", GreaterEqual},
                                {"Less", Less},       {"LessOrEqual", LessEqual},
                                {"Mul", Multiply},    {"Or", Or},
                                {"Sub", Subtract},    {"Xor", Xor}};
    for (const auto& [name, function] : binary)
        table[name] = [function = function](NodeConverter& node) {
            node.result(node.elementwise("", function, {node.input(0), secondOperand(node)}));
        };
    for (const auto& [name, function] : NamedFunctions{{"Max", Max}, {"Min", Min}, {"Sum", Add}})
        table[name] = [function = function](NodeConverter& node) {
            const auto inputs = node.allInputs();
            node.result(inputs.size() == 1 ? inputs[0] : node.elementwise("", function, inputs));
        };
    table["Gelu"] = convertGelu;
    table["IsInf"] = convertIsInf;
    table["Log"] = convertLog;
    table["Mod"] = convertMod;
    table["Mean"] = convertMean;
    table["Pow"] = convertPow;
    table["Trilu"] = convertTrilu;
    table["Where"] = convertWhere;
    table["Cast"] = convertCast;
    table["CastLike"] = convertCast;
}

} // namespace tilescope::sim
