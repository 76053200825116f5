#include "simulator/transforms/decompose.h"

#include <numeric>

namespace tilescope::sim {
namespace {

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
        made.onnxType = op.onnxType;
        made.onnxNode = op.onnxNode;
        made.phase = op.phase;
        made.stage = op.stage;
        made.recomputeGroup = op.recomputeGroup;
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
        return part(op, name, ElementwiseAttributes{f}, {in}, result_.tensors[in].shape);
    }

    TensorId scalar(const Op& op, const std::string& name) {
        TensorId id = tensorLike(op.outputs[0], op.name + "/" + name);
        result_.tensors[id].shape = {};
        result_.tensors[id].role = TensorRole::Constant;
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
        const TensorId shifted = part(
            op, "sub", ElementwiseAttributes{ElementwiseFunction::Subtract}, {in, most}, shape);
        const TensorId powers = unary(op, "exp", ElementwiseFunction::Exp, shifted);
        const TensorId sum =
            part(op, "sum", ReduceAttributes{ReduceFunction::Add, axes, true}, {powers}, reduced);
        if (softmax.logarithm) {
            const TensorId log = unary(op, "log", ElementwiseFunction::Log, sum);
            part(op, "logSub", ElementwiseAttributes{ElementwiseFunction::Subtract}, {shifted, log},
                 shape, out);
            return;
        }
        const TensorId inverse = unary(op, "inv", ElementwiseFunction::Inverse, sum);
        part(op, "invScale", ElementwiseAttributes{ElementwiseFunction::Multiply},
             {powers, inverse}, shape, out);
    }

    void expandLrn(const Op& op, const LrnAttributes& lrn) {
        const TensorId in = op.inputs[0];
        const Shape shape = result_.tensors[in].shape;
        const TensorId square = unary(op, "square", ElementwiseFunction::Square, in);
        // Channels as a spatial dimension, so that the windowed sum is a pooling.
        const std::int64_t inner =
            std::accumulate(shape.begin() + 2, shape.end(), std::int64_t{1}, std::multiplies<>());
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
        const TensorId scaled =
            part(op, "scale", ElementwiseAttributes{ElementwiseFunction::Multiply},
                 {back, scalar(op, "alpha")}, shape);
        const TensorId biased = part(op, "bias", ElementwiseAttributes{ElementwiseFunction::Add},
                                     {scaled, scalar(op, "biasValue")}, shape);
        const TensorId power = part(op, "power", ElementwiseAttributes{ElementwiseFunction::Power},
                                    {biased, scalar(op, "beta")}, shape);
        part(op, "mul", ElementwiseAttributes{ElementwiseFunction::Multiply}, {in, power}, shape,
             op.outputs[0]);
    }

    Graph result_;
};

} // namespace

Graph decomposed(const Graph& graph) {
    return Decomposer(graph).run(graph);
}

} // namespace tilescope::sim
