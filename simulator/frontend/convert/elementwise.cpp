// Operators that are one elementwise function.

#include "simulator/frontend/convert/converter.h"
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
        NodeConverter::refuse("its second operand reaches over the first");
    shape.resize(node.rank(0) - axis, 1);
    return node.reshape("broadcast", node.input(1), shape);
}

void convertMod(NodeConverter& node) {
    const double towardsZero = static_cast<double>(node.node().integer("fmod", 0));
    node.result(node.elementwise("", Remainder, {node.input(0), secondOperand(node)}, towardsZero));
}

void convertGelu(NodeConverter& node) {
    const bool exact = node.node().text("approximate", "none") == "none";
    node.result(node.elementwise("", Gelu, {node.input(0)}, exact ? 1 : 0));
}

void convertIsInf(NodeConverter& node) {
    const auto leavesOut = [&](const char* sign) {
        return node.node().integer(sign, 1) == 0 ? 1.0 : 0.0;
    };
    node.result(node.elementwise("", IsInf, {node.input(0)}, leavesOut("detect_negative"),
                                 leavesOut("detect_positive")));
}

using NamedFunctions = std::vector<std::pair<const char*, ElementwiseFunction>>;

void convertMean(NodeConverter& node) {
    const auto inputs = node.allInputs();
    if (inputs.size() == 1)
        return node.result(inputs[0]);
    const TensorId sum = node.elementwise("sum", Add, inputs);
    node.result(node.elementwise("", Multiply, {sum, node.scalar("share", sum)}));
}

void convertPow(NodeConverter& node) {
    const Value& exponent = node.value(1);
    const bool known = exponent.data && exponent.data->size() == 1 &&
                       broadcastShapes(node.shape(0), exponent.shape) == node.shape(0);
    if (known && exponent.data->real(0) == 2)
        return node.result(node.elementwise("", Square, {node.input(0)}));
    if (known && exponent.data->real(0) == 0.5)
        return node.result(node.elementwise("", Sqrt, {node.input(0)}));
    const TensorId base = node.input(0);
    const TensorId power = node.cast("exponent", node.input(1), node.builder().tensor(base).type);
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
    const TensorId mask =
        node.builder().addTensor(node.node().name + "/mask", {shape.end() - 2, shape.end()},
                                 DataType::Bool, TensorRole::Constant);
    node.result(node.elementwise("", Select, {mask, x, node.scalar("zero", x)}));
}

/// Types that are one on the device need no cast.
void convertCast(NodeConverter& node) {
    const DataType type = node.builder().deviceType(node.output().type);
    node.result(node.cast("", node.input(0), type));
}

} // namespace

void addElementwiseConversions(ConversionTable& table) {
    const NamedFunctions unary{{"Abs", Abs},
                               {"Acos", Acos},
                               {"Acosh", Acosh},
                               {"Asin", Asin},
                               {"Asinh", Asinh},
                               {"Atan", Atan},
                               {"Atanh", Atanh},
                               {"Ceil", Ceil},
                               {"Cos", Cos},
                               {"Cosh", Cosh},
                               {"Erf", Erf},
                               {"Exp", Exp},
                               {"Floor", Floor},
                               {"HardSwish", HardSwish},
                               {"IsNaN", IsNan},
                               {"Log", Log},
                               {"Neg", Negate},
                               {"Not", Not},
                               {"Reciprocal", Inverse},
                               {"Relu", Relu},
                               {"Round", Round},
                               {"Sigmoid", Sigmoid},
                               {"Sign", Sign},
                               {"Sin", Sin},
                               {"Sinh", Sinh},
                               {"Softplus", Softplus},
                               {"Sqrt", Sqrt},
                               {"Tan", Tan},
                               {"Tanh", Tanh}};
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
    table["Mean"] = convertMean;
    table["Mod"] = convertMod;
    table["Gelu"] = convertGelu;
    table["IsInf"] = convertIsInf;
    table["Pow"] = convertPow;
    table["Trilu"] = convertTrilu;
    table["Where"] = convertWhere;
    table["Cast"] = convertCast;
    table["CastLike"] = convertCast;
}

} // namespace tilescope::sim
