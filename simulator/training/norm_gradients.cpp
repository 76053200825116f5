// Gradients of normalisations with the statistics of their data. The steps are those of PopLibs
// (poplin/Norms.cpp: normWhiten, normParamGradients, normStatisticsGradients) under PopART's names.
#include "simulator/training/gradient_builder.h"

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
                               std::vector<std::int64_t> axes, ReduceFunction function) {
        const TensorId products = b_.times(part + "/mul", gradient, whitened);
        Shape reduced = shape_;
        for (const std::int64_t axis : axes)
            reduced[static_cast<std::size_t>(axis)] = 1;
        const TensorId scale = b_.emit(part + "/JointGammaDelta",
                                       JointReduceAttributes{{function, function}, std::move(axes)},
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
        const std::vector<TensorId> means =
            sums(part, whitened, g, norm_.axes, ReduceFunction::Mean);
        const TensorId slope = b_.times(part + "/gamma", whitened, means[0]);
        g = b_.elementwise(part + "/scaledAdd", Subtract, {g, slope}, shape_);
        g = b_.elementwise(part + "/addToChannel", Subtract, {g, means[1]}, shape_);
        b_.contribute(op_.inputs[0], b_.times(part + "/istdDev", g, op_.outputs[2]));
    }

    GradientBuilder& b_;
    const Op op_;
    const NormAttributes norm_;
    TensorId gradient_;
    Shape shape_;
};

} // namespace

void addNormGradients(GradientBuilder& builder, TensorId gradient) {
    const NormAttributes norm = std::get<NormAttributes>(builder.forward().attributes);
    NormRule(builder, norm, gradient).run();
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

} // namespace tilescope::sim
