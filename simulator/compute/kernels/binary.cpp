// Functions of two reals.
#include "simulator/compute/kernels/elementwise_loops.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// Gradient of a piecewise linear function from its result: the slope of the piece. Where the ends
/// belong to the slope, the operand is given in place of the result, which cannot tell an end from
/// what lies beyond it.
bool computePiecewise(const ElementwiseAttributes& e, const TensorData& g, const TensorData& y,
                      const RealResult& result) {
    const auto map = [&](const auto& function) {
        mapRealPairs(function, g, y, result);
        return true;
    };
    const auto alpha = static_cast<float>(e.alpha);
    const auto beta = static_cast<float>(e.beta);
    switch (e.of) {
    case Relu:
        return map([](float d, float v) TILESCOPE_INLINED { return v > 0.0F ? d : 0.0F; });
    case LeakyRelu:
        return map([alpha](float d, float v)
                       TILESCOPE_INLINED { return v > 0.0F ? d : alpha * d; });
    case Clip:
        if (e.slopesAtEnds)
            return map([alpha, beta](float d, float x)
                           TILESCOPE_INLINED { return x < alpha || x > beta ? 0.0F : d; });
        return map([alpha, beta](float d, float v) TILESCOPE_INLINED {
            const float above = v > alpha ? d : 0.0F;
            return v < beta ? above : 0.0F;
        });
    case HardSigmoid:
        if (e.slopesAtEnds)
            return map([&e](float d, float x) {
                const double v = e.alpha * static_cast<double>(x) + e.beta;
                return v < 0 || v > 1 ? 0.0F : static_cast<float>(e.alpha) * d;
            });
        return map([alpha](float d, float v) TILESCOPE_INLINED {
            const float above = v > 0.0F ? alpha * d : 0.0F;
            return v < 1.0F ? above : 0.0F;
        });
    default:
        return false;
    }
}

bool computeGradient(const ElementwiseAttributes& e, const TensorData& g, const TensorData& of,
                     const RealResult& result) {
    const auto map = [&](const auto& function) {
        mapRealPairs(function, g, of, result);
        return true;
    };
    switch (e.function) {
    case ReluGrad:
        return computePiecewise(e, g, of, result);
    case SigmoidGrad:
        return map([](float d, float y) TILESCOPE_INLINED { return d * y * (1.0F - y); });
    case TanhGrad:
        return map([](float d, float y) TILESCOPE_INLINED { return d * (1.0F - y * y); });
    case SwishGrad:
        return map([](float d, float x) TILESCOPE_INLINED {
            const float s = vec::sigmoid(x);
            return d * s * (1.0F + x * (1.0F - s));
        });
    case GeluGrad:
        if (e.alpha != 0)
            return map([](float d, float x)
                           TILESCOPE_INLINED { return d * vec::geluExactSlope(x); });
        return map([](float d, float x) TILESCOPE_INLINED { return d * vec::geluSlope(x); });
    default:
        return false;
    }
}

/// Remainder of a division that is rounded down, with the divisor's sign.
float flooredRemainder(float a, float b) {
    const float rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool computeSpecial(const ElementwiseAttributes& e, const TensorData& a, const TensorData& b,
                    const RealResult& result) {
    const auto map = [&](const auto& function) {
        mapRealPairs(function, a, b, result);
        return true;
    };
    const double alpha = e.alpha;
    const double beta = e.beta;
    switch (e.function) {
    case Power:
        return map([](float x, float y) { return std::pow(x, y); });
    case Remainder:
        if (e.alpha != 0)
            return map([](float x, float y) { return std::fmod(x, y); });
        return map([](float x, float y) { return flooredRemainder(x, y); });
    case Atan2:
        return map([](float x, float y) { return std::atan2(x, y); });
    case InverseStdDeviation:
        return map([alpha](float mean, float square) {
            const double variance = static_cast<double>(square) - static_cast<double>(mean) * mean;
            return static_cast<float>(1 / std::sqrt(std::max(variance, 0.0) + alpha));
        });
    case CrossEntropy:
        return map([](float p, float expected) TILESCOPE_INLINED {
            const float term = -expected * vec::logarithm(p);
            return expected == 0.0F ? 0.0F : term;
        });
    case TrustRatio:
        return map([alpha, beta, gamma = e.gamma](float x, float y) {
            const double bounded =
                gamma > 0 ? std::min(static_cast<double>(x), gamma) : static_cast<double>(x);
            return x == 0 || y == 0 ? 1.0F
                                    : static_cast<float>(alpha * std::pow(bounded / y, beta));
        });
    default:
        return false;
    }
}

} // namespace

bool computeBinary(const ElementwiseAttributes& elementwise, const TensorData& a,
                   const TensorData& b, const RealResult& result) {
    const auto map = [&](const auto& function) {
        mapRealPairs(function, a, b, result);
        return true;
    };
    switch (elementwise.function) {
    case Add:
        return map([](float x, float y) TILESCOPE_INLINED { return x + y; });
    case Subtract:
        return map([](float x, float y) TILESCOPE_INLINED { return x - y; });
    case Multiply:
        return map([](float x, float y) TILESCOPE_INLINED { return x * y; });
    case Divide:
        if (elementwise.alpha != 0)
            return map([least = static_cast<float>(elementwise.alpha)](float x, float y)
                           TILESCOPE_INLINED { return x / (y < least ? least : y); });
        return map([](float x, float y) TILESCOPE_INLINED { return x / y; });
    case Max: // of a number and NaN: NaN
        return map([](float x, float y) TILESCOPE_INLINED { return x > y || x != x ? x : y; });
    case Min:
        return map([](float x, float y) TILESCOPE_INLINED { return x < y || x != x ? x : y; });
    case PRelu:
        return map([](float x, float slope) TILESCOPE_INLINED { return x < 0.0F ? slope * x : x; });
    default:
        return computeGradient(elementwise, a, b, result) ||
               computeSpecial(elementwise, a, b, result);
    }
}

bool computeComparison(ElementwiseFunction function, const TensorData& a, const TensorData& b,
                       TensorData& result) {
    const auto map = [&](const auto& one) {
        mapPairs<float, std::int32_t>(one, result.shape(), a.reals().data(), a.shape(),
                                      b.reals().data(), b.shape(), result.ints().data());
        return true;
    };
    switch (function) {
    case Equal:
        return map([](float x, float y) TILESCOPE_INLINED { return x == y ? 1 : 0; });
    case Less:
        return map([](float x, float y) TILESCOPE_INLINED { return x < y ? 1 : 0; });
    case Greater:
        return map([](float x, float y) TILESCOPE_INLINED { return x > y ? 1 : 0; });
    case LessEqual:
        return map([](float x, float y) TILESCOPE_INLINED { return x <= y ? 1 : 0; });
    case GreaterEqual:
        return map([](float x, float y) TILESCOPE_INLINED { return x >= y ? 1 : 0; });
    default:
        return false;
    }
}

} // namespace tilescope::sim
