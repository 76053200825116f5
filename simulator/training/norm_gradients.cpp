// Gradients of normalisations with the statistics of their data. The steps are those of PopLibs
// (poplin/Norms.cpp: normWhiten, normParamGradients, normStatisticsGradients) under PopART's names.
#include "simulator/training/autodiff.h"
#include "simulator/training/gradient_builder.h"

#include <functional>

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

class NormRule {
public:
    NormRule(GradientBuilder& builder, const NormAttributes& norm, TensorId gradient)
        : b_(builder)
        , op_(builder.forward())
        , norm_(norm)
        , gradient_(gradient)
        , shape_(builder.shape(gradient)) {}

    void run() {
        const TensorId centred =
            b_.elementwise("whitenedActs/beta", Subtract, {op_.inputs[0], op_.outputs[1]}, shape_);
        const TensorId whitened = b_.times("whitenedActs/istdDev", centred, op_.outputs[2]);
        if (op_.inputs.size() > 1 && (b_.wanted(op_.inputs[1]) || b_.wanted(op_.inputs[2])))
            giveParameters(whitened);
        if (b_.wanted(op_.inputs[0]))
            giveData(whitened);
    }

private:
    /// Sums of the gradient's product with the whitened data and of the gradient itself.
    std::vector<TensorId> sums(const std::string& part, TensorId whitened, TensorId gradient,
                               std::vector<std::int64_t> axes, ReduceFunction function,
                               double factor = 1) {
        const TensorId products = b_.times(part + "/mul", gradient, whitened);
        Shape reduced = shape_;
        for (const std::int64_t axis : axes)
            reduced[static_cast<std::size_t>(axis)] = 1;
        std::vector<double> scales;
        if (factor != 1)
            scales = {factor, factor};
        const TensorId scale =
            b_.emit(part + "/JointGammaDelta",
                    JointReduceAttributes{{function, function}, std::move(axes), scales},
                    {products, gradient}, reduced);
        return {scale, b_.addResult(scale, "offset")};
    }

    /// Dimensions along which a parameter is broadcast.
    [[nodiscard]] std::vector<std::int64_t> broadcastAxes(const Shape& parameter) const {
        const std::size_t lead = shape_.size() - parameter.size();
        std::vector<std::int64_t> axes;
        for (std::size_t d = 0; d < shape_.size(); ++d)
            if (d < lead || (parameter[d - lead] == 1 && shape_[d] != 1))
                axes.push_back(static_cast<std::int64_t>(d));
        return axes;
    }

    void giveParameters(TensorId whitened) {
        const std::string part = "scaleOffsetGrads";
        const std::vector<TensorId> both = sums(
            part, whitened, gradient_, broadcastAxes(b_.shape(op_.inputs[1])), ReduceFunction::Add);
        for (std::size_t i = 0; i < both.size(); ++i)
            b_.contribute(op_.inputs[i + 1],
                          b_.reshaped(part + "/squeeze", both[i], b_.shape(op_.inputs[i + 1])));
    }

    /// dx = (g' - mean(g') - whitened * mean(g' * whitened)) / deviation, with g' = g * scale.
    void giveData(TensorId whitened) {
        const std::string part = "operandGrad";
        TensorId g = gradient_;
        if (op_.inputs.size() > 1)
            g = b_.times(part + "/NormGrad", g, op_.inputs[1]);
        std::vector<TensorId> means =
            sums(part, whitened, g, norm_.axes, ReduceFunction::Mean, 1.0 / norm_.replicas);
        if (norm_.replicas > 1)
            means = overReplicas(part, means);
        const TensorId slope = b_.times(part + "/gamma", whitened, means[0]);
        g = b_.elementwise(part + "/scaledAdd", Subtract, {g, slope}, shape_);
        g = b_.elementwise(part + "/addToChannel", Subtract, {g, means[1]}, shape_);
        b_.contribute(op_.inputs[0], b_.times(part + "/istdDev", g, op_.outputs[2]));
    }

    /// The part of the gradient shared by replicas with common statistics (poplin
    /// distributedNormStatisticsGradients); gradients of scale and shift are summed with all
    /// others.
    std::vector<TensorId> overReplicas(const std::string& part,
                                       const std::vector<TensorId>& means) {
        const TensorId first =
            b_.emit(part + "/allReduce",
                    CollectiveAttributes{CollectiveKind::AllReduce, norm_.replicas, false}, means,
                    b_.shape(means[0]));
        return {first, b_.addResult(first, "offset")};
    }

    GradientBuilder& b_;
    const Op op_;
    const NormAttributes norm_;
    TensorId gradient_;
    Shape shape_;
};

} // namespace

void addGradient(GradientBuilder& builder, const NormAttributes& norm, TensorId gradient) {
    NormRule(builder, norm, gradient).run();
}

void shareBatchStatistics(Graph& graph, std::int32_t replicas) {
    bool found = false;
    for (Op& op : graph.ops)
        if (auto* norm = std::get_if<NormAttributes>(&op.attributes); norm && norm->running) {
            norm->replicas = replicas;
            found = true;
        }
    if (!found)
        graph.messages.push_back({Severity::Warning,
                                  "option distributedBatchNormReplicaGroupSize has no effect: the "
                                  "model has no batch normalisation"});
}

void keepNormStatistics(Graph& graph) {
    for (Op& op : graph.ops) {
        const auto* norm = std::get_if<NormAttributes>(&op.attributes);
        if (!norm || op.outputs.size() > 1)
            continue;
        Tensor statistic = graph.tensors[op.outputs[0]];
        for (const std::int64_t axis : norm->axes)
            statistic.shape[static_cast<std::size_t>(axis)] = 1;
        for (const char* part : {"mean", "iStdDev"}) {
            statistic.name = op.name + "/" + part;
            op.outputs.push_back(graph.tensors.add(statistic));
        }
    }
}

namespace {

using enum ElementwiseFunction;

/// Sums over `size` neighbouring channels, as a pooling of channels as a spatial dimension.
/// `mirrored`: over those in whose window an element is.
TensorId windowSum(GradientBuilder& b, const std::string& part, TensorId in, std::int64_t size,
                   bool mirrored) {
    const Shape shape = b.shape(in);
    const std::int64_t inner = elementsOf({shape.begin() + 2, shape.end()});
    const Shape asField{shape[0], 1, shape[1], inner};
    PoolAttributes window;
    window.kind = PoolKind::Sum;
    window.kernel = {size, 1};
    window.strides = window.dilations = {1, 1};
    window.padsBegin = {(size - 1) / 2, 0};
    window.padsEnd = {size / 2, 0};
    if (mirrored)
        std::swap(window.padsBegin, window.padsEnd);
    const TensorId field = b.reshaped(part + "/asField", in, asField);
    return b.reshaped(part + "/asActivation", b.emit(part, window, {field}, asField), shape);
}

} // namespace

void addGradient(GradientBuilder& b, const LrnAttributes& lrn, TensorId gradient) {
    const TensorId x = b.forward().inputs[0];
    const TensorId y = b.forward().outputs[0];
    const Shape shape = b.shape(x);
    const auto each = [&](const std::string& part, ElementwiseFunction f, TensorId a, TensorId c) {
        return b.elementwise("LrnGrad/" + part, f, {a, c}, shape);
    };
    const TensorId squares = b.elementwise("LrnGrad/square", Square, {x}, shape);
    const TensorId sums = windowSum(b, "LrnGrad/windowSum", squares, lrn.size, false);
    const double share = lrn.alpha / static_cast<double>(lrn.size);
    const TensorId scaled = b.scaled("LrnGrad/scale", sums, share);
    const TensorId s = each("bias", Add, scaled, b.scalar("LrnGrad/biasValue", x, lrn.bias));
    const TensorId power = each("power", Power, s, b.scalar("LrnGrad/minusBeta", x, -lrn.beta));
    const TensorId direct = each("direct", Multiply, gradient, power);
    // Every neighbour's s depends on x: -2 alpha beta / size * x * window(g * y / s).
    const TensorId shares = each("share", Divide, each("product", Multiply, gradient, y), s);
    const TensorId neighbours = windowSum(b, "LrnGrad/neighbours", shares, lrn.size, true);
    const TensorId indirect =
        b.scaled("LrnGrad/slope", each("indirect", Multiply, neighbours, x), -2 * share * lrn.beta);
    b.contribute(x, each("sum", Add, direct, indirect));
}

} // namespace tilescope::sim
