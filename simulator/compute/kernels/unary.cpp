// Functions of one real.
#include "simulator/compute/kernels/elementwise_loops.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// The most frequent functions, by vector instructions.
bool computeActivation(const ElementwiseAttributes& e, const TensorData& x, const RealResult& y) {
    const auto map = [&](const auto& function) {
        mapReals(function, x, y);
        return true;
    };
    const auto alpha = static_cast<float>(e.alpha);
    const auto beta = static_cast<float>(e.beta);
    switch (e.function) {
    case Relu:
        return map([](float v) TILESCOPE_INLINED { return v < 0.0F ? 0.0F : v; });
    case LeakyRelu:
        return map([alpha](float v) TILESCOPE_INLINED { return v < 0.0F ? alpha * v : v; });
    case Sigmoid:
        return map([](float v) TILESCOPE_INLINED { return vec::sigmoid(v); });
    case Tanh:
        return map([](float v) TILESCOPE_INLINED { return vec::tangent(v); });
    case Gelu:
        if (alpha != 0)
            return map([](float v) TILESCOPE_INLINED { return vec::geluExact(v); });
        return map([](float v) TILESCOPE_INLINED { return vec::gelu(v); });
    case Erf:
        return map([](float v) TILESCOPE_INLINED { return vec::errorFunction(v); });
    case Swish:
        return map([](float v) TILESCOPE_INLINED { return v * vec::sigmoid(v); });
    case Clip:
        return map([alpha, beta](float v) TILESCOPE_INLINED {
            const float raised = v < alpha ? alpha : v;
            return raised > beta ? beta : raised;
        });
    case Elu:
        return map([alpha](float v) TILESCOPE_INLINED {
            const float below = alpha * (vec::exponential(v) - 1.0F);
            return v < 0.0F ? below : v;
        });
    case Softplus:
        // log(1 + exp(v)) without overflow
        return map([](float v) TILESCOPE_INLINED {
            const float size = vec::magnitude(v);
            return (v < 0.0F ? 0.0F : v) + vec::logarithm(1.0F + vec::exponential(-size));
        });
    case HardSigmoid:
        return map([alpha, beta](float v) TILESCOPE_INLINED {
            const float line = alpha * v + beta;
            const float raised = line < 0.0F ? 0.0F : line;
            return raised > 1.0F ? 1.0F : raised;
        });
    case HardSwish:
        return map([](float v) TILESCOPE_INLINED {
            const float line = v / 6.0F + 0.5F;
            const float raised = line < 0.0F ? 0.0F : line;
            return v * (raised > 1.0F ? 1.0F : raised);
        });
    default:
        return false;
    }
}

bool computeArithmetic(const ElementwiseAttributes& e, const TensorData& x, const RealResult& y) {
    const auto map = [&](const auto& function) {
        mapReals(function, x, y);
        return true;
    };
    const double epsilon = e.alpha;
    switch (e.function) {
    case Exp:
        return map([](float v) TILESCOPE_INLINED { return vec::exponential(v); });
    case Log:
        if (e.alpha != 0)
            return map([least = static_cast<float>(e.alpha)](float v) TILESCOPE_INLINED {
                const float y = vec::logarithm(v);
                return y < least ? least : y;
            });
        return map([](float v) TILESCOPE_INLINED { return vec::logarithm(v); });
    case Expm1:
        return map([](float v) { return std::expm1(v); });
    case Log1p:
        return map([](float v) { return std::log1p(v); });
    case VarianceToInverseStdDeviation:
        return map([epsilon](float v) {
            return static_cast<float>(1 / std::sqrt(static_cast<double>(v) + epsilon));
        });
    case Sqrt:
        return map([](float v) TILESCOPE_INLINED { return std::sqrt(v); });
    case Rsqrt:
        return map([](float v) TILESCOPE_INLINED { return 1.0F / std::sqrt(v); });
    case Inverse:
        return map([](float v) TILESCOPE_INLINED { return 1.0F / v; });
    case Abs:
        return map([](float v) TILESCOPE_INLINED { return vec::magnitude(v); });
    case Negate:
        return map([](float v) TILESCOPE_INLINED { return -v; });
    case Square:
        return map([](float v) TILESCOPE_INLINED { return v * v; });
    case Floor:
        return map([](float v) TILESCOPE_INLINED { return std::floor(v); });
    case Ceil:
        return map([](float v) TILESCOPE_INLINED { return std::ceil(v); });
    case Round: // half to even, the default of the floating-point environment
        return map([](float v) TILESCOPE_INLINED { return std::nearbyint(v); });
    case Sign:
        return map([](float v) TILESCOPE_INLINED {
            const float sign = v < 0.0F ? -1.0F : 0.0F;
            return v > 0.0F ? 1.0F : v != v ? v : sign;
        });
    default:
        return false;
    }
}

bool computeTrigonometric(ElementwiseFunction function, const TensorData& x, const RealResult& y) {
    const auto map = [&](const auto& one) {
        mapReals(one, x, y);
        return true;
    };
    switch (function) {
    case Sin:
        return map([](float v) { return std::sin(v); });
    case Cos:
        return map([](float v) { return std::cos(v); });
    case Tan:
        return map([](float v) { return std::tan(v); });
    case Asin:
        return map([](float v) { return std::asin(v); });
    case Acos:
        return map([](float v) { return std::acos(v); });
    case Atan:
        return map([](float v) { return std::atan(v); });
    case Sinh:
        return map([](float v) { return std::sinh(v); });
    case Cosh:
        return map([](float v) { return std::cosh(v); });
    case Asinh:
        return map([](float v) { return std::asinh(v); });
    case Acosh:
        return map([](float v) { return std::acosh(v); });
    case Atanh:
        return map([](float v) { return std::atanh(v); });
    default:
        return false;
    }
}

} // namespace

bool computeUnary(const ElementwiseAttributes& elementwise, const TensorData& operand,
                  const RealResult& result) {
    return computeActivation(elementwise, operand, result) ||
           computeArithmetic(elementwise, operand, result) ||
           computeTrigonometric(elementwise.function, operand, result);
}

} // namespace tilescope::sim
