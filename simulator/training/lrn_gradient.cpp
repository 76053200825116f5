// Gradient of local response normalisation y = x * s^-beta, s = bias + alpha / size * window(x^2).
#include <functional>
#include <numeric>

#include "simulator/training/gradient_builder.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// Sums over `size` neighbouring channels, as a pooling of channels as a spatial dimension.
TensorId windowSum(GradientBuilder& b, const std::string& part, TensorId in, std::int64_t size) {
    const Shape shape = b.shape(in);
    const std::int64_t inner =
        std::accumulate(shape.begin() + 2, shape.end(), std::int64_t{1}, std::multiplies<>());
    const Shape asField{shape[0], 1, shape[1], inner};
    PoolAttributes window;
    window.kind = PoolKind::Sum;
    window.kernel = {size, 1};
    window.strides = window.dilations = {1, 1};
    window.padsBegin = {(size - 1) / 2, 0};
    window.padsEnd = {size / 2, 0};
    const TensorId field = b.reshaped(part + "/asField", in, asField);
    return b.reshaped(part + "/asActivation", b.emit(part, window, {field}, asField), shape);
}

} // namespace

void addLrnGradient(GradientBuilder& b, TensorId gradient) {
    const auto lrn = std::get<LrnAttributes>(b.forward().attributes);
    const TensorId x = b.forward().inputs[0];
    const TensorId y = b.forward().outputs[0];
    const Shape shape = b.shape(x);
    const auto each = [&](const std::string& part, ElementwiseFunction f, TensorId a, TensorId c) {
        return b.elementwise("LrnGrad/" + part, f, {a, c}, shape);
    };
    const TensorId squares = b.elementwise("LrnGrad/square", Square, {x}, shape);
    const TensorId sums = windowSum(b, "LrnGrad/windowSum", squares, lrn.size);
    const TensorId scaled = b.scaled("LrnGrad/scale", sums);
    const TensorId s = each("bias", Add, scaled, b.scalar("LrnGrad/biasValue", x));
    const TensorId power = each("power", Power, s, b.scalar("LrnGrad/minusBeta", x));
    const TensorId direct = each("direct", Multiply, gradient, power);
    // Every neighbour's s depends on x: -2 alpha beta / size * x * window(g * y / s).
    const TensorId shares = each("share", Divide, each("product", Multiply, gradient, y), s);
    const TensorId neighbours = windowSum(b, "LrnGrad/neighbours", shares, lrn.size);
    const TensorId indirect = b.scaled("LrnGrad/slope", each("indirect", Multiply, neighbours, x));
    b.contribute(x, each("sum", Add, direct, indirect));
}

} // namespace tilescope::sim
