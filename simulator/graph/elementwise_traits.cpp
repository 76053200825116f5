#include "simulator/graph/elementwise_traits.h"

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

// Functions of the C++ library: *assumed*.
constexpr InnerLoops library{{24, 1}, {24, 1}};
// Composed of an exponential or a clamp and arithmetic.
constexpr InnerLoops composed{{12, 4}, {24, 2}};
constexpr InnerLoops comparison{{9, 4}, {14, 4}};
// Integer division and remainder; also *assumed* where a function takes operands that its codelet
// does not.
constexpr InnerLoops division{{270, 1}, {270, 1}};

ElementwiseTraits unary(std::string_view name, InnerLoops loops) {
    return {name, 1, 1, loops, loops};
}
ElementwiseTraits unary(std::string_view name, InnerLoop half, InnerLoop single) {
    return unary(name, {half, single});
}
ElementwiseTraits binary(std::string_view name, InnerLoops loops, InnerLoops scalar) {
    return {name, 2, 2, loops, scalar};
}
ElementwiseTraits binary(std::string_view name, InnerLoops loops) {
    return binary(name, loops, loops);
}
/// A function that is applied operand after operand.
ElementwiseTraits anyNumber(std::string_view name, InnerLoops loops, InnerLoops scalar) {
    return {name, 2, anyNumberOfOperands, loops, scalar};
}
ElementwiseTraits anyNumber(std::string_view name, InnerLoops loops) {
    return anyNumber(name, loops, loops);
}
ElementwiseTraits expression(std::string_view name, std::size_t operands, InnerLoops loops) {
    return {name, operands, operands, loops, loops};
}
ElementwiseTraits inPlace(ElementwiseTraits traits) {
    traits.updatesInPlace = true;
    return traits;
}
ElementwiseTraits withoutFlops(ElementwiseTraits traits) {
    traits.countsFlops = false;
    return traits;
}

} // namespace

ElementwiseTraits traitsOf(ElementwiseFunction function) {
    using enum ElementwiseFunction;
    switch (function) {
    case Relu:
        return unary("RELU", {3, 4}, {3, 2});
    case LeakyRelu:
        return unary("LEAKY_RELU", {3, 4}, {3, 2});
    case Sigmoid:
        return unary("SIGMOID", {6, 4}, {12, 2});
    case Tanh:
        return unary("TANH", {4, 4}, {12, 2});
    case Gelu:
        // popnn::NonLinearity1D: the tanh approximation, so many cycles a vector of 64 bits.
        return unary("GELU", {5, 4}, {10, 2});
    case Erf:
        return unary("ERF", {16, 1}, {22, 1});
    case Exp:
        return unary("EXPONENT", {4, 4}, {6, 2});
    case Log:
        return unary("LOGARITHM", {4, 4}, {12, 2});
    case Sqrt:
        return unary("SQRT", {23, 4}, {10, 2});
    case Rsqrt:
        return unary("RSQRT", {19, 4}, {8, 2});
    case Inverse:
        return unary("INVERSE", {15, 4}, {6, 2});
    case Abs:
        return unary("ABSOLUTE", {5, 1}, {5, 1});
    case Negate:
        return unary("NEGATE", {2, 4}, {2, 2});
    case Square:
        return unary("SQUARE", {2, 4}, {2, 2});
    case Sin:
        return unary("SIN", {25, 1}, {2300, 1});
    case Cos:
        return unary("COS", {25, 1}, {2300, 1});
    case Tan:
        return unary("TAN", {25, 1}, {2300, 1});
    case Floor:
        return unary("FLOOR", library);
    case Ceil:
        return unary("CEIL", library);
    case Round:
        return unary("ROUND", library);
    case Sign:
        return unary("SIGNUM", library);
    case Not:
        return unary("LOGICAL_NOT", library);
    case Clip:
        return unary("CLAMP", {3, 4}, {3, 2});
    case Cast:
        return withoutFlops(unary("CAST", {2, 4}, {2, 2}));
    case Elu:
        return unary("ELU", composed);
    case Softplus:
        return unary("SOFTPLUS", composed);
    case HardSigmoid:
        return unary("HARD_SIGMOID", composed);
    case HardSwish:
        return unary("HARD_SWISH", composed);
    case Asin:
        return unary("ASIN", library);
    case Acos:
        return unary("ACOS", library);
    case Atan:
        return unary("ATAN", library);
    case Sinh:
        return unary("SINH", library);
    case Cosh:
        return unary("COSH", library);
    case Asinh:
        return unary("ASINH", library);
    case Acosh:
        return unary("ACOSH", library);
    case Atanh:
        return unary("ATANH", library);
    case IsNan:
        return unary("IS_NAN", library);
    case IsInf:
        return unary("IS_INF", library);
    case Copy:
        return withoutFlops(unary("COPY", {2, 4}, {2, 2}));
    case Dropout:
        // poprand::Dropout: urand, compare, multiply.
        return unary("DROPOUT", {5, 4}, {5, 2});
    case OneHot:
        // Indices are spread along the classes like the operand of a broadcast.
        return unary("ONE_HOT", division);
    case Zero:
        // popops::Fill: a 64-bit store a cycle.
        return inPlace(unary("ZERO", {1, 4}, {1, 2}));
    case Add:
        return anyNumber("ADD", {{3, 4}, {3, 2}}, {{2, 4}, {2, 2}});
    case Subtract:
        return binary("SUBTRACT", {{3, 4}, {3, 2}}, {{2, 4}, {2, 2}});
    case Multiply:
        return anyNumber("MULTIPLY", {{3, 4}, {3, 2}}, {{2, 4}, {2, 2}});
    case Divide:
        return binary("DIVIDE", {{21, 4}, {10, 2}}, {{8, 2}, {6, 2}});
    case Power:
        return binary("POWER", {{325, 1}, {312, 1}});
    case Max:
        return anyNumber("MAXIMUM", {{4, 4}, {3, 2}});
    case Min:
        return anyNumber("MINIMUM", {{4, 4}, {3, 2}});
    case Remainder:
        return binary("REMAINDER", division);
    case Equal:
        return binary("EQUAL", comparison);
    case Less:
        return binary("LESS_THAN", comparison);
    case Greater:
        return binary("GREATER_THAN", comparison);
    case LessEqual:
        return binary("LESS_THAN_EQUAL", comparison);
    case GreaterEqual:
        return binary("GREATER_THAN_EQUAL", comparison);
    case And:
        return binary("LOGICAL_AND", comparison);
    case Or:
        return binary("LOGICAL_OR", comparison);
    case Xor:
        return binary("LOGICAL_XOR", comparison);
    case PRelu:
        return binary("PRELU", {{5, 4}, {5, 2}});
    case InverseStdDeviation:
        return binary("INVERSE_STD_DEVIATION", {{5, 2}, {5, 2}});
    case ReluGrad:
        return binary("RELU_GRAD", {{3, 4}, {3, 2}});
    case SigmoidGrad:
        // popnn NonLinearityGrad.
        return binary("SIGMOID_GRAD", {{5, 4}, {5, 2}});
    case TanhGrad:
        return binary("TANH_GRAD", {{5, 4}, {5, 2}});
    case GeluGrad:
        // Tanh and a polynomial.
        return binary("GELU_GRAD", {{12, 2}, {28, 1}});
    case CrossEntropy:
        // Logarithm and multiply.
        return binary("CROSS_ENTROPY", {{12, 4}, {16, 2}});
    case ScaledAdd:
        return inPlace(binary("SCALED_ADD", division));
    case MovingAverage:
        return inPlace(binary("MOVING_AVERAGE", division));
    case MovingSquare:
        return inPlace(binary("MOVING_SQUARE", division));
    case Select:
        return expression("SELECT", 3, {{5, 1}, {5, 1}});
    case AdamUpdater:
        // Both moments, the weight, the count of updates: a generated codelet of popops::map,
        // square root and division of two lanes at a time.
        return expression("ADAM_UPDATER", 4, {{20, 4}, {20, 2}});
    case SubtractProduct:
        return expression("SUBTRACT_PRODUCT", 3, {{5, 1}, {5, 1}});
    }
    throw InternalError("an elementwise function without traits");
}

} // namespace tilescope::sim
