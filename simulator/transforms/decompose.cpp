#include "simulator/transforms/decompose.h"

#include <array>
#include <utility>

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

class Decomposer {
public:
    explicit Decomposer(const Graph& graph)
        : result_(graph) {
        result_.ops = {};
    }

    Graph run(const Graph& graph) {
        for (const Op& op : graph.ops) {
            if (const auto* softmax = std::get_if<SoftmaxAttributes>(&op.attributes))
                expandSoftmax(op, *softmax);
            else if (const auto* lrn = std::get_if<LrnAttributes>(&op.attributes))
                expandLrn(op, *lrn);
            else if (const auto* norm = std::get_if<NormAttributes>(&op.attributes))
                expandNorm(op, *norm);
            else
                result_.ops.add(op);
        }
        return std::move(result_);
    }

private:
    TensorId tensorLike(TensorId like, const std::string& name) {
        Tensor t = result_.tensors[like];
        t.name = name;
        t.role = TensorRole::Activation;
        return result_.tensors.add(std::move(t));
    }

    /// Adds a part of `op`; its result is a new tensor of the given shape, or `out` if that is set.
    /// The shape comes by value: it may be that of a tensor, which a new tensor can move.
    TensorId part(const Op& op, const std::string& name, Attributes attributes,
                  std::vector<TensorId> inputs, Shape shape, TensorId out = {}) {
        Op made;
        made.name = op.name + "/" + name;
        made.type = op.type;
        made.onnxNode = op.onnxNode;
        made.source = op.source;
        made.pass = op.pass;
        made.stage = op.stage;
        made.recomputeGroup = op.recomputeGroup;
        made.recomputeHint = op.recomputeHint;
        made.mayOutline = op.mayOutline;
        made.attributes = std::move(attributes);
        made.inputs = std::move(inputs);
        if (!out.valid()) {
            out = tensorLike(op.outputs[0], made.name);
            result_.tensors[out].shape = std::move(shape);
        }
        made.outputs = {out};
        result_.ops.add(std::move(made));
        return out;
    }

    TensorId unary(const Op& op, const std::string& name, ElementwiseFunction f, TensorId in) {
        return elementwise(op, name, f, {in}, result_.tensors[in].shape);
    }

    TensorId elementwise(const Op& op, const std::string& name, ElementwiseFunction f,
                         std::vector<TensorId> operands, const Shape& shape, TensorId out = {}) {
        return part(op, name, ElementwiseAttributes{f}, std::move(operands), shape, out);
    }

    TensorId scalar(const Op& op, const std::string& name, double value) {
        TensorId id = tensorLike(op.outputs[0], op.name + "/" + name);
        result_.tensors[id].shape = {};
        result_.tensors[id].role = TensorRole::Constant;
        result_.tensors[id].value =
            std::make_shared<TensorData>(TensorData::scalar(result_.tensors[id].type, value));
        return id;
    }

    void expandSoftmax(const Op& op, const SoftmaxAttributes& softmax) {
        const TensorId in = op.inputs[0];
        const TensorId out = op.outputs[0];
        const Shape shape = result_.tensors[in].shape;
        Shape reduced = shape;
        std::vector<std::int64_t> axes;
        for (std::int64_t axis = softmax.firstAxis; axis < softmax.endAxis; ++axis) {
            axes.push_back(axis);
            reduced[static_cast<std::size_t>(axis)] = 1;
        }
        const TensorId most =
            part(op, "max", ReduceAttributes{ReduceFunction::Max, axes, true}, {in}, reduced);
        const TensorId shifted = elementwise(op, "sub", Subtract, {in, most}, shape);
        const TensorId powers = unary(op, "exp", Exp, shifted);
        const TensorId sum =
            part(op, "sum", ReduceAttributes{ReduceFunction::Add, axes, true}, {powers}, reduced);
        if (softmax.logarithm) {
            const TensorId log = unary(op, "log", Log, sum);
            elementwise(op, "logSub", Subtract, {shifted, log}, shape, out);
            return;
        }
        const TensorId inverse = unary(op, "inv", Inverse, sum);
        elementwise(op, "invScale", Multiply, {powers, inverse}, shape, out);
    }

    void expandLrn(const Op& op, const LrnAttributes& lrn) {
        const TensorId in = op.inputs[0];
        const Shape shape = result_.tensors[in].shape;
        const TensorId square = unary(op, "square", Square, in);
        // Channels as a spatial dimension, so that the windowed sum is a pooling.
        const std::int64_t inner = elementsOf({shape.begin() + 2, shape.end()});
        const Shape asField{shape[0], 1, shape[1], inner};
        const TensorId field = part(op, "asField", ReshapeAttributes{}, {square}, asField);
        PoolAttributes window;
        window.kind = PoolKind::Sum;
        window.kernel = {lrn.size, 1};
        window.strides = {1, 1};
        window.dilations = {1, 1};
        window.padsBegin = {(lrn.size - 1) / 2, 0};
        window.padsEnd = {lrn.size / 2, 0};
        const TensorId summed = part(op, "windowSum", window, {field}, asField);
        const TensorId back = part(op, "asActivation", ReshapeAttributes{}, {summed}, shape);
        const TensorId scaled = elementwise(
            op, "scale", Multiply,
            {back, scalar(op, "alpha", lrn.alpha / static_cast<double>(lrn.size))}, shape);
        const TensorId biased =
            elementwise(op, "bias", Add, {scaled, scalar(op, "biasValue", lrn.bias)}, shape);
        const TensorId power =
            elementwise(op, "power", Power, {biased, scalar(op, "beta", -lrn.beta)}, shape);
        elementwise(op, "mul", Multiply, {in, power}, shape, op.outputs[0]);
    }

    /// Statistics as PopLibs computes them (poplin/Norms.cpp normStatistics: both sums in the same
    /// compute sets), then scale and shift of whitened data; for a batch both in one multiplication
    /// and one addition (PopART BatchNormOpx: multiplicand and addend).
    void expandNorm(const Op& op, const NormAttributes& norm) {
        const TensorId x = op.inputs[0];
        const Shape shape = result_.tensors[x].shape;
        Shape reduced = shape;
        for (const std::int64_t axis : norm.axes)
            reduced[static_cast<std::size_t>(axis)] = 1;
        const std::string prefix = norm.running ? "normStats" : "groupNormStatistics";
        const auto [mean, power] = statistics(op, norm, prefix, reduced);
        const TensorId inverse =
            part(op, prefix + "/iStdDev", ElementwiseAttributes{InverseStdDeviation, norm.epsilon},
                 {mean, power}, reduced, op.outputs.size() > 2 ? op.outputs[2] : TensorId());
        if (norm.running) {
            const TensorId factor =
                elementwise(op, "multiplicand", Multiply, {inverse, op.inputs[1]}, reduced);
            const TensorId addend =
                elementwise(op, "addend", SubtractProduct,
                            {asStatistic(op, op.inputs[2], reduced), factor, mean}, reduced);
            const TensorId scaled =
                elementwise(op, "batchNormalise/mul", Multiply, {x, factor}, shape);
            elementwise(op, "batchNormalise/add", Add, {scaled, addend}, shape, op.outputs[0]);
            updateRunning(op, norm, mean, power, reduced);
            return;
        }
        const bool scales = op.inputs.size() > 1;
        const TensorId centred =
            elementwise(op, "groupNormWhiten/beta", Subtract, {x, mean}, shape);
        const TensorId whitened =
            elementwise(op, "groupNormWhiten/istdDev", Multiply, {centred, inverse}, shape,
                        scales ? TensorId() : op.outputs[0]);
        if (!scales)
            return;
        const TensorId scaled =
            elementwise(op, "groupNorm/gamma", Multiply, {whitened, op.inputs[1]}, shape);
        elementwise(op, "groupNorm/beta", Add, {scaled, op.inputs[2]}, shape, op.outputs[0]);
    }

    /// Mean and mean square. Replicas that share them scale by the samples of all, and sum both by
    /// one collective (poplin distributedNormStatistics).
    std::pair<TensorId, TensorId> statistics(const Op& op, const NormAttributes& norm,
                                             const std::string& prefix, const Shape& reduced) {
        const TensorId x = op.inputs[0];
        const TensorId wanted = op.outputs.size() > 1 ? op.outputs[1] : TensorId();
        const bool shared = norm.replicas > 1;
        const double replicas = norm.replicas;
        const double samples = static_cast<double>(result_.tensors[x].elements()) /
                               static_cast<double>(elementsOf(reduced));
        const TensorId mean =
            part(op, prefix,
                 JointReduceAttributes{{ReduceFunction::Mean, ReduceFunction::SquareAdd},
                                       norm.axes,
                                       {1 / replicas, 1 / (samples * replicas)}},
                 {x, x}, reduced, shared ? TensorId() : wanted);
        const TensorId power = secondResult(op, prefix + "/power", reduced);
        if (!shared)
            return {mean, power};
        const TensorId sum =
            part(op, prefix + "/allReduce",
                 CollectiveAttributes{CollectiveKind::AllReduce, norm.replicas, false},
                 {mean, power}, reduced, wanted);
        return {sum, secondResult(op, prefix + "/allReduce/power", reduced)};
    }

    /// One more result of the part added last.
    TensorId secondResult(const Op& op, const std::string& name, const Shape& shape) {
        const TensorId id = tensorLike(op.outputs[0], op.name + "/" + name);
        result_.tensors[id].shape = shape;
        result_.ops.back().outputs.push_back(id);
        return id;
    }

    /// A parameter of one value for each channel in the shape of the channels' statistics.
    TensorId asStatistic(const Op& op, TensorId parameter, const Shape& reduced) {
        return result_.tensors[parameter].shape == reduced
                   ? parameter
                   : part(op, "asStatistic", ReshapeAttributes{}, {parameter}, reduced);
    }

    /// Moving averages of mean and variance (the running statistics are read by inference only).
    void updateRunning(const Op& op, const NormAttributes& norm, TensorId mean, TensorId power,
                       const Shape& reduced) {
        const TensorId square = elementwise(op, "variance/square", Multiply, {mean, mean}, reduced);
        const TensorId variance = elementwise(op, "variance", Subtract, {power, square}, reduced);
        const std::array<std::pair<const char*, TensorId>, 2> pairs{
            std::pair("runningMean", mean), std::pair("runningVar", variance)};
        const std::array scales{
            1.0, norm.runningScale(result_.tensors[op.inputs[0]].elements() / elementsOf(reduced))};
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const TensorId running = op.inputs[3 + i];
            const Shape own = result_.tensors[running].shape;
            const TensorId batch = part(op, std::string(pairs[i].first) + "/batch",
                                        ReshapeAttributes{}, {pairs[i].second}, own);
            part(op, pairs[i].first,
                 ElementwiseAttributes{MovingAverage, norm.momentum,
                                       (1 - norm.momentum) * scales[i]},
                 {running, batch}, own);
        }
    }

    Graph result_;
};

} // namespace

Graph decomposed(const Graph& graph) {
    return Decomposer(graph).run(graph);
}

} // namespace tilescope::sim
