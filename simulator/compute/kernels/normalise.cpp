// Softmax and normalisations.
#include <cmath>

#include "simulator/compute/kernels/elementwise_loops.h"
#include "simulator/compute/kernels/reduction.h"

namespace tilescope::sim {
namespace {

/// A softmax as [outer, classes, inner].
struct SoftmaxShape {
    std::int64_t outer, classes, inner;
};

SoftmaxShape softmaxShape(const SoftmaxAttributes& softmax, const Shape& shape) {
    const auto first = shape.begin() + static_cast<std::ptrdiff_t>(softmax.firstAxis);
    const auto end = shape.begin() + static_cast<std::ptrdiff_t>(softmax.endAxis);
    return {elementsOf({shape.begin(), first}), elementsOf({first, end}),
            elementsOf({end, shape.end()})};
}

/// One distribution whose classes are `step` apart.
void softmaxOf(const float* from, float* to, std::int64_t classes, std::int64_t step,
               bool logarithm) {
    float most = from[0];
    for (std::int64_t i = 1; i < classes; ++i)
        most = from[i * step] > most ? from[i * step] : most;
    double sum = 0;
    const auto power = [most](float x) TILESCOPE_INLINED { return vec::exponential(x - most); };
    if (step == 1)
        UnaryLoop<decltype(power), float, float>::run(power, from, to, classes);
    else
        for (std::int64_t i = 0; i < classes; ++i)
            to[i * step] = power(from[i * step]);
    for (std::int64_t i = 0; i < classes; ++i)
        sum += static_cast<double>(to[i * step]);
    if (logarithm) {
        const auto offset = static_cast<float>(std::log(sum));
        for (std::int64_t i = 0; i < classes; ++i)
            to[i * step] = from[i * step] - most - offset;
        return;
    }
    const auto share = static_cast<float>(1 / sum);
    for (std::int64_t i = 0; i < classes; ++i)
        to[i * step] *= share;
}

Shape withOnes(Shape shape, const std::vector<std::int64_t>& axes) {
    for (const std::int64_t axis : axes)
        shape[static_cast<std::size_t>(axis)] = 1;
    return shape;
}

/// A running statistic of any shape moves towards that of the batch.
void moveStatistic(KernelCall& call, std::size_t operand, const TensorData& batch, double momentum,
                   double scale) {
    TensorData running = call.inputs.at(operand);
    const TensorData own = batch.reshaped(running.shape());
    const auto keep = static_cast<float>(momentum);
    const auto add = static_cast<float>((1 - momentum) * scale);
    mapRealPairs([keep, add](float a, float b) TILESCOPE_INLINED { return keep * a + add * b; },
                 running, own, running);
}

} // namespace

void compute(const SoftmaxAttributes& softmax, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    const SoftmaxShape shape = softmaxShape(softmax, operand.shape());
    const float* from = operand.reals().data();
    float* to = result.reals().data();
    inBlocks(shape.outer * shape.inner, std::max<std::int64_t>(1, computeBlock / shape.classes),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t at =
                         i / shape.inner * shape.classes * shape.inner + i % shape.inner;
                     softmaxOf(from + at, to + at, shape.classes, shape.inner, softmax.logarithm);
                 }
             });
}

void compute(const NormAttributes& norm, KernelCall& call) {
    const TensorData& data = call.inputs.at(0);
    const Shape reduced = withOnes(data.shape(), norm.axes);
    TensorData mean(DataType::Float, reduced);
    reduceInto(mean, data, ReduceFunction::Mean, norm.axes);
    TensorData& result = call.make();
    const auto subtract = [](float a, float b) TILESCOPE_INLINED { return a - b; };
    const auto multiply = [](float a, float b) TILESCOPE_INLINED { return a * b; };
    const auto add = [](float a, float b) TILESCOPE_INLINED { return a + b; };
    mapRealPairs(subtract, data, mean, result);
    TensorData variance(DataType::Float, reduced);
    const double share =
        static_cast<double>(mean.elements()) / static_cast<double>(data.elements());
    reduceInto(variance, result, ReduceFunction::SquareAdd, norm.axes, share);
    TensorData inverse(DataType::Float, reduced);
    for (std::int64_t i = 0; i < inverse.elements(); ++i)
        inverse.setNumber(i, 1 / std::sqrt(variance.number(i) + norm.epsilon));
    mapRealPairs(multiply, result, inverse, result);
    if (call.inputs.size() > 1) {
        mapRealPairs(multiply, result, call.inputs.at(1), result);
        mapRealPairs(add, result, call.inputs.at(2), result);
    }
    constexpr std::size_t runningMean = 3;
    if (norm.running && call.inputs.size() > runningMean) {
        moveStatistic(call, runningMean, mean, norm.momentum, 1);
        moveStatistic(call, runningMean + 1, variance, norm.momentum,
                      norm.runningScale(data.elements() / mean.elements()));
    }
    if (call.outputs.size() > 1)
        call.outputs[1] = mean;
    if (call.outputs.size() > 2)
        call.outputs[2] = inverse;
}

/// x / (bias + alpha / size * sum of squares)^beta over neighbouring channels.
void compute(const LrnAttributes& lrn, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    const Shape& shape = operand.shape();
    const std::int64_t channels = shape[1];
    const std::int64_t inner = elementsOf({shape.begin() + 2, shape.end()});
    const float* from = operand.reals().data();
    float* to = result.reals().data();
    const std::int64_t before = (lrn.size - 1) / 2;
    const std::int64_t after = lrn.size / 2;
    inBlocks(shape[0] * channels, std::max<std::int64_t>(1, computeBlock / inner),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t plane = begin; plane < end; ++plane) {
                     const std::int64_t channel = plane % channels;
                     const std::int64_t first = std::max<std::int64_t>(0, channel - before);
                     const std::int64_t last = std::min(channels - 1, channel + after);
                     for (std::int64_t i = 0; i < inner; ++i) {
                         double sum = 0;
                         for (std::int64_t c = first; c <= last; ++c) {
                             const double x = from[(plane - channel + c) * inner + i];
                             sum += x * x;
                         }
                         const double base =
                             lrn.bias + lrn.alpha / static_cast<double>(lrn.size) * sum;
                         const std::int64_t at = plane * inner + i;
                         to[at] = static_cast<float>(from[at] * std::pow(base, -lrn.beta));
                     }
                 }
             });
}

} // namespace tilescope::sim
