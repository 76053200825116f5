// Gradients of elementwise functions.
#include "simulator/training/gradient_builder.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/graph/elementwise_traits.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

class ElementwiseRule {
public:
    ElementwiseRule(GradientBuilder& builder, TensorId gradient)
        : b_(builder)
        , op_(builder.forward())
        , g_(gradient)
        , shape_(builder.shape(gradient)) {}

    void run(ElementwiseFunction function) {
        switch (function) {
        case Add:
            for (const TensorId operand : op_.inputs)
                give(operand, g_);
            return;
        case Subtract:
            give(op_.inputs[0], g_);
            if (b_.wanted(op_.inputs[1]))
                give(op_.inputs[1], unary("SubArg1Grad", Negate, g_));
            return;
        case Multiply:
            multiply();
            return;
        case Divide:
            divide();
            return;
        case Power:
            // d(x^p) = p * x^p / x dx + x^p * log(x) dp.
            if (b_.wanted(op_.inputs[0])) {
                const TensorId part = times("PowArg0Grad", g_, op_.outputs[0]);
                give(op_.inputs[0],
                     b_.scaled("PowArg0Grad/scale",
                               binary("PowArg0Grad/divide", Divide, part, op_.inputs[0])));
            }
            if (b_.wanted(op_.inputs[1]))
                give(op_.inputs[1],
                     times("PowArg1Grad", times("PowArg1Grad/mul", g_, op_.outputs[0]),
                           unary("PowArg1Grad/log", Log, op_.inputs[0])));
            return;
        case Max:
        case Min:
            for (const TensorId operand : op_.inputs)
                if (b_.wanted(operand))
                    give(operand, times("SelectGrad", g_, equals(operand)));
            return;
        case Select:
            for (std::size_t i = 1; i < op_.inputs.size(); ++i)
                if (b_.wanted(op_.inputs[i]))
                    give(op_.inputs[i], times(i == 1 ? "WhereXGrad" : "WhereYGrad", g_,
                                              mask("WhereMask", op_.inputs[0])));
            return;
        case SubtractProduct: {
            // a - b c
            give(op_.inputs[0], g_);
            const TensorId negative = unary("SubProductGrad/negate", Negate, g_);
            for (const std::size_t i : {1U, 2U})
                if (b_.wanted(op_.inputs[i]))
                    give(op_.inputs[i],
                         times("SubProductGrad", negative, op_.inputs[i == 1 ? 2 : 1]));
            return;
        }
        default:
            give(op_.inputs[0], unaryGradient(function));
        }
    }

private:
    TensorId unary(const std::string& part, ElementwiseFunction f, TensorId a) {
        return b_.elementwise(part, f, {a}, b_.shape(a));
    }
    TensorId binary(const std::string& part, ElementwiseFunction f, TensorId a, TensorId b) {
        return b_.elementwise(part, f, {a, b}, shape_);
    }
    TensorId times(const std::string& part, TensorId a, TensorId b) {
        return binary(part, ElementwiseFunction::Multiply, a, b);
    }
    void give(TensorId operand, TensorId gradient) {
        if (b_.wanted(operand))
            b_.contribute(operand, b_.reducedTo("GradReduce", gradient, b_.shape(operand)));
    }

    /// A truth value as a number of the gradient's type.
    TensorId mask(const std::string& part, TensorId condition) {
        const TensorId number = unary(part, ElementwiseFunction::Cast, condition);
        b_.graph().tensors[number].type = b_.tensor(g_).type;
        return number;
    }

    TensorId equals(TensorId operand) {
        const TensorId same =
            binary("SelectGrad/equal", ElementwiseFunction::Equal, operand, op_.outputs[0]);
        b_.graph().tensors[same].type = DataType::Bool;
        return mask("SelectGrad/mask", same);
    }

    void multiply() {
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            if (!b_.wanted(op_.inputs[i]))
                continue;
            TensorId product = g_;
            for (std::size_t other = 0; other < op_.inputs.size(); ++other)
                if (other != i)
                    product = times(fmt::format("MulArg{}Grad", i), product, op_.inputs[other]);
            give(op_.inputs[i], product);
        }
    }

    void divide() {
        const TensorId quotient = binary("DivArg0Grad", Divide, g_, op_.inputs[1]);
        give(op_.inputs[0], quotient);
        if (b_.wanted(op_.inputs[1]))
            give(op_.inputs[1], unary("DivArg1Grad/negate", Negate,
                                      times("DivArg1Grad", quotient, op_.outputs[0])));
    }

    TensorId unaryGradient(ElementwiseFunction function) {
        const TensorId x = op_.inputs[0];
        const TensorId y = op_.outputs[0];
        const std::string part = op_.type + "Grad";
        switch (function) {
        case Relu:
        case LeakyRelu:
        case Clip:
        case PRelu:
        case HardSigmoid:
            return binary(part, ReluGrad, g_, y);
        case Sigmoid:
            return binary(part, SigmoidGrad, g_, y);
        case Tanh:
            return binary(part, TanhGrad, g_, y);
        case Gelu:
            return binary(part, GeluGrad, g_, x);
        case Swish:
            return binary(part, SwishGrad, g_, x);
        case Expm1:
            return times(part, g_, unary(part + "/exp", Exp, x));
        case Log1p:
            return binary(
                part, Divide, g_,
                b_.elementwise(part + "/add", Add, {x, b_.scalar(part + "/one", x)}, shape_));
        case Tan:
            // 1 / cos^2
            return binary(part, Divide, g_,
                          unary(part + "/square", Square, unary(part + "/cos", Cos, x)));
        case Sinh:
            return times(part, g_, unary(part + "/cosh", Cosh, x));
        case Cosh:
            return times(part, g_, unary(part + "/sinh", Sinh, x));
        case Atan:
            return binary(
                part, Divide, g_,
                b_.elementwise(part + "/add", Add,
                               {unary(part + "/square", Square, x), b_.scalar(part + "/one", x)},
                               shape_));
        case Asin:
        case Acos: {
            // 1 / sqrt(1 - x^2), negated for the cosine
            const TensorId rest = b_.elementwise(
                part + "/sub", Subtract,
                {unary(part + "/square", Square, x), b_.scalar(part + "/one", x)}, shape_);
            const TensorId slope = times(part, g_, unary(part + "/rsqrt", Rsqrt, rest));
            return function == Acos ? unary(part + "/negate", Negate, slope) : slope;
        }
        case Softplus:
        case Elu:
            return times(part, g_, unary(part + "/derivative", Sigmoid, x));
        case HardSwish:
            return times(part, g_, unary(part + "/derivative", HardSigmoid, x));
        case Exp:
            return times(part, g_, y);
        case Log:
            return binary(part, Divide, g_, x);
        case Sqrt:
            return b_.scaled(part + "/half", binary(part, Divide, g_, y));
        case Rsqrt:
            // -y^3 / 2
            return b_.scaled(part + "/half", times(part, times(part + "/cube", g_, y),
                                                   unary(part + "/square", Square, y)));
        case Inverse:
            return unary(part + "/negate", Negate,
                         times(part, g_, unary(part + "/square", Square, y)));
        case Square:
            return b_.scaled(part + "/double", times(part, g_, x));
        case Negate:
            return unary(part, Negate, g_);
        case Abs:
            return times(part, g_, unary(part + "/sign", Sign, x));
        case Erf: {
            const TensorId square = unary(part + "/square", Square, x);
            const TensorId bell =
                unary(part + "/exp", Exp, unary(part + "/negate", Negate, square));
            return b_.scaled(part + "/scale", times(part, g_, bell));
        }
        case Sin:
            return times(part, g_, unary(part + "/cos", Cos, x));
        case Cos:
            return unary(part + "/negate", Negate, times(part, g_, unary(part + "/sin", Sin, x)));
        case Dropout:
            return unary("DropoutGrad", Dropout, g_);
        case Copy:
            return g_;
        case Cast: {
            const TensorId back = unary("CastGrad", Cast, g_);
            b_.graph().tensors[back].type = b_.tensor(x).type;
            return back;
        }
        default:
            throw UserError(
                fmt::format("operation '{}' ({}) has no gradient in this version; train a model "
                            "without it",
                            op_.name, op_.type));
        }
    }

    GradientBuilder& b_;
    const Op op_;
    TensorId g_;
    Shape shape_;
};

/// Steps have no gradient to pass on.
bool isConstantAlmostEverywhere(ElementwiseFunction function) {
    return makesBool(function) || function == Floor || function == Ceil || function == Round ||
           function == Sign || function == OneHot || function == Zero || function == Detach ||
           function == RandomUniform || function == RandomNormal;
}

} // namespace

void addGradient(GradientBuilder& builder, const ElementwiseAttributes& elementwise,
                 TensorId gradient) {
    if (!isConstantAlmostEverywhere(elementwise.function))
        ElementwiseRule(builder, gradient).run(elementwise.function);
}

} // namespace tilescope::sim
