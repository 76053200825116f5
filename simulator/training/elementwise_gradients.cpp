// Gradients of elementwise functions.
#include "simulator/training/gradient_builder.h"

#include <fmt/format.h>
#include <numbers>

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

    void run(const ElementwiseAttributes& attributes) {
        attributes_ = attributes;
        const ElementwiseFunction function = attributes.function;
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
            // d(x^p) = p * x^(p - 1) dx + x^p * log(x) dp (popart PowArg0GradOpPattern).
            if (b_.wanted(op_.inputs[0]))
                powerOfFirst();
            if (b_.wanted(op_.inputs[1]))
                powerOfSecond();
            return;
        case Max:
        case Min:
            select();
            return;
        case Select:
            for (std::size_t i = 1; i < op_.inputs.size(); ++i)
                if (b_.wanted(op_.inputs[i]))
                    give(op_.inputs[i], times(i == 1 ? "WhereXGrad" : "WhereYGrad", g_,
                                              mask("WhereMask", chosen(i == 1))));
            return;
        case PRelu:
            preluGradients();
            return;
        case CrossEntropy:
            // -t / p
            if (b_.wanted(op_.inputs[0]))
                give(op_.inputs[0],
                     unary("NllGrad/negate", Negate,
                           binary("NllGrad/divide", Divide, times("NllGrad", g_, op_.inputs[1]),
                                  op_.inputs[0])));
            return;
        case Atan2:
            arctangent();
            return;
        case Remainder:
            // a - n b, where n is constant between two jumps.
            give(op_.inputs[0], g_);
            if (b_.wanted(op_.inputs[1])) {
                const TensorId multiple =
                    binary("RemainderGrad/multiple", Subtract, op_.outputs[0], op_.inputs[0]);
                give(op_.inputs[1],
                     times("RemainderGrad", g_,
                           binary("RemainderGrad/count", Divide, multiple, op_.inputs[1])));
            }
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
    /// With the parameters of the forward function.
    TensorId pieces(const std::string& part) {
        ElementwiseAttributes slope = attributes_;
        slope.of = attributes_.function;
        slope.function = ReluGrad;
        const TensorId of = slope.slopesAtEnds ? op_.inputs[0] : op_.outputs[0];
        return b_.elementwise(part, slope, {g_, of}, shape_);
    }
    TensorId likeForward(const std::string& part, ElementwiseFunction f,
                         std::vector<TensorId> operands) {
        ElementwiseAttributes same = attributes_;
        same.function = f;
        return b_.elementwise(part, same, std::move(operands), shape_);
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

    /// Where a Select takes its first choice, or its second.
    TensorId chosen(bool first) {
        return first ? op_.inputs[0]
                     : unary("WhereYGrad/not", ElementwiseFunction::Not, op_.inputs[0]);
    }

    /// Where an operand is above zero.
    TensorId positive(const std::string& part, TensorId x) {
        const TensorId above = binary(part, Greater, x, b_.scalar(part + "/zero", x, 0));
        b_.graph().tensors[above].type = DataType::Bool;
        return above;
    }

    void powerOfFirst() {
        const TensorId p = op_.inputs[1];
        const TensorId less = b_.elementwise("PowArg0Grad/sub", Subtract,
                                             {p, b_.scalar("PowArg0Grad/one", p, 1)}, b_.shape(p));
        const TensorId power = binary("PowArg0Grad/pow", Power, op_.inputs[0], less);
        give(op_.inputs[0], times("PowArg0Grad", g_, times("PowArg0Grad/scale", power, p)));
    }

    /// Powers of zero stay zero.
    void powerOfSecond() {
        const TensorId x = op_.inputs[0];
        const TensorId isZero =
            b_.elementwise("PowArg1Grad/isZero", ElementwiseFunction::Equal,
                           {x, b_.scalar("PowArg1Grad/zero", x, 0)}, b_.shape(x));
        b_.graph().tensors[isZero].type = DataType::Bool;
        const TensorId finite =
            b_.elementwise("PowArg1Grad/finite", Select,
                           {isZero, b_.scalar("PowArg1Grad/one", x, 1), x}, b_.shape(x));
        b_.graph().tensors[finite].type = b_.tensor(x).type;
        give(op_.inputs[1], times("PowArg1Grad", times("PowArg1Grad/mul", g_, op_.outputs[0]),
                                  unary("PowArg1Grad/log", Log, finite)));
    }

    /// x above zero: g; below: slope * g, and x * g of the slope.
    void preluGradients() {
        const TensorId x = op_.inputs[0];
        const TensorId above = positive("PReluGrad/positive", x);
        const auto choose = [&](const std::string& part, TensorId yes, TensorId no) {
            const TensorId made = b_.elementwise(part, Select, {above, yes, no}, shape_);
            b_.graph().tensors[made].type = b_.tensor(g_).type;
            return made;
        };
        if (b_.wanted(x))
            give(x, choose("PReluGrad", g_, times("PReluGrad/slope", g_, op_.inputs[1])));
        if (b_.wanted(op_.inputs[1]))
            give(op_.inputs[1], choose("PReluSlopeGrad", b_.scalar("PReluSlopeGrad/zero", x, 0),
                                       times("PReluSlopeGrad/mul", g_, x)));
    }

    /// 1 / sqrt(x^2 + addend)
    TensorId rootOfSquare(const std::string& part, TensorId x, double addend) {
        return unary(part + "/rsqrt", Rsqrt,
                     b_.elementwise(part + "/add", ElementwiseFunction::Add,
                                    {unary(part + "/square", ElementwiseFunction::Square, x),
                                     b_.scalar(part + "/addend", x, addend)},
                                    shape_));
    }

    /// alpha exp(x) = y + alpha below zero, one above.
    TensorId eluGradient(const std::string& part, TensorId x, TensorId y) {
        const TensorId below = binary(part + "/derivative", ElementwiseFunction::Add, y,
                                      b_.scalar(part + "/alpha", y, attributes_.alpha));
        const TensorId slope = b_.elementwise(
            part + "/select", Select,
            {positive(part + "/positive", x), b_.scalar(part + "/one", y, 1), below}, shape_);
        b_.graph().tensors[slope].type = b_.tensor(g_).type;
        return times(part, g_, slope);
    }

    /// h + x h', with h = x / 6 + 1 / 2 from 0 to 1; at both ends h has its slope.
    TensorId hardSwishGradient(const std::string& part, TensorId x) {
        constexpr double slope = 1.0 / 6;
        const TensorId h = b_.elementwise(
            part + "/derivative", ElementwiseAttributes{HardSigmoid, slope, 0.5}, {x}, shape_);
        ElementwiseAttributes pieces{ReluGrad, slope, 0.5};
        pieces.of = HardSigmoid;
        pieces.slopesAtEnds = true;
        const TensorId rest = b_.elementwise(part + "/slope", pieces, {x, x}, shape_);
        return times(part, g_, binary(part + "/add", ElementwiseFunction::Add, h, rest));
    }

    /// The operands that are chosen share the gradient, as PyTorch's maximum() and minimum() do.
    void select() {
        TensorId count;
        std::vector<TensorId> masks;
        for (const TensorId operand : op_.inputs) {
            masks.push_back(equals(operand));
            count = count.valid()
                        ? binary("SelectGrad/count", ElementwiseFunction::Add, count, masks.back())
                        : masks.back();
        }
        const TensorId share = binary("SelectGrad/share", Divide, g_, count);
        for (std::size_t i = 0; i < masks.size(); ++i)
            if (b_.wanted(op_.inputs[i]))
                give(op_.inputs[i], times("SelectGrad", share, masks[i]));
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

    /// d atan2(a, b) = (b da - a db) / (a^2 + b^2)
    void arctangent() {
        const TensorId squares = binary("Atan2Grad/add", Add, squareOf(0), squareOf(1));
        const TensorId share = binary("Atan2Grad/share", Divide, g_, squares);
        give(op_.inputs[0], times("Atan2Arg0Grad", share, op_.inputs[1]));
        if (b_.wanted(op_.inputs[1]))
            give(op_.inputs[1], unary("Atan2Arg1Grad/negate", Negate,
                                      times("Atan2Arg1Grad", share, op_.inputs[0])));
    }
    TensorId squareOf(std::size_t operand) {
        return unary("Atan2Grad/square", Square, op_.inputs[operand]);
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
        case HardSigmoid:
            return pieces(part);
        case Sigmoid:
            return binary(part, SigmoidGrad, g_, y);
        case Tanh:
            return binary(part, TanhGrad, g_, y);
        case Gelu:
            return likeForward(part, GeluGrad, {g_, x});
        case Swish:
            return binary(part, SwishGrad, g_, x);
        case Expm1:
            return times(part, g_, unary(part + "/exp", Exp, x));
        case Log1p:
            return binary(
                part, Divide, g_,
                b_.elementwise(part + "/add", Add, {x, b_.scalar(part + "/one", x, 1)}, shape_));
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
                               {unary(part + "/square", Square, x), b_.scalar(part + "/one", x, 1)},
                               shape_));
        case Asin:
        case Acos: {
            // 1 / sqrt(1 - x^2), negated for the cosine
            const TensorId rest = b_.elementwise(
                part + "/sub", Subtract,
                {b_.scalar(part + "/one", x, 1), unary(part + "/square", Square, x)}, shape_);
            const TensorId slope = times(part, g_, unary(part + "/rsqrt", Rsqrt, rest));
            return function == Acos ? unary(part + "/negate", Negate, slope) : slope;
        }
        case Asinh:
            return times(part, g_, rootOfSquare(part, x, 1));
        case Acosh:
            return times(part, g_, rootOfSquare(part, x, -1));
        case Atanh:
            // 1 / (1 - x^2)
            return binary(
                part, Divide, g_,
                b_.elementwise(part + "/sub", Subtract,
                               {b_.scalar(part + "/one", x, 1), unary(part + "/square", Square, x)},
                               shape_));
        case Softplus:
            return times(part, g_, unary(part + "/derivative", Sigmoid, x));
        case Elu:
            return eluGradient(part, x, y);
        case HardSwish:
            return hardSwishGradient(part, x);
        case Exp:
            return times(part, g_, y);
        case Log: {
            // Where it has a least value, PyTorch's divisor is at least this (BCELoss).
            constexpr double leastDivisor = 1e-12;
            ElementwiseAttributes divide{Divide};
            divide.alpha = attributes_.alpha != 0 ? leastDivisor : 0;
            return b_.elementwise(part, divide, {g_, x}, shape_);
        }
        case Sqrt:
            return b_.scaled(part + "/half", binary(part, Divide, g_, y), 0.5);
        case Rsqrt:
            // -y^3 / 2
            return b_.scaled(
                part + "/half",
                times(part, times(part + "/cube", g_, y), unary(part + "/square", Square, y)),
                -0.5);
        case Inverse:
            return unary(part + "/negate", Negate,
                         times(part, g_, unary(part + "/square", Square, y)));
        case Square:
            return b_.scaled(part + "/double", times(part, g_, x), 2);
        case Negate:
            return unary(part, Negate, g_);
        case Abs:
            return times(part, g_, unary(part + "/sign", Sign, x));
        case Erf: {
            const TensorId square = unary(part + "/square", Square, x);
            const TensorId bell =
                unary(part + "/exp", Exp, unary(part + "/negate", Negate, square));
            return b_.scaled(part + "/scale", times(part, g_, bell), std::numbers::inv_sqrtpi * 2);
        }
        case Sin:
            return times(part, g_, unary(part + "/cos", Cos, x));
        case Cos:
            return unary(part + "/negate", Negate, times(part, g_, unary(part + "/sin", Sin, x)));
        case Dropout:
            return likeForward("DropoutGrad", Dropout, {g_});
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
    ElementwiseAttributes attributes_ = {};
};

/// Step functions do not pass on a gradient.
bool isConstantAlmostEverywhere(ElementwiseFunction function) {
    return traitsOf(function).makesBool || function == Floor || function == Ceil ||
           function == Round || function == Sign || function == OneHot || function == Zero ||
           function == Detach || function == RandomUniform || function == RandomNormal;
}

} // namespace

void addGradient(GradientBuilder& builder, const ElementwiseAttributes& elementwise,
                 TensorId gradient) {
    if (!isConstantAlmostEverywhere(elementwise.function))
        ElementwiseRule(builder, gradient).run(elementwise);
}

} // namespace tilescope::sim
