// Gradients of reductions, softmax, pooling and gathering.
#include "simulator/training/gradient_builder.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// A result of a reduction with its reduced dimensions as ones.
TensorId keptDims(GradientBuilder& b, const std::string& part, TensorId id, const Shape& in,
                  const std::vector<std::int64_t>& axes) {
    Shape kept = in;
    for (const std::int64_t axis : axes)
        kept[static_cast<std::size_t>(axis)] = 1;
    return b.reshaped(part, id, kept);
}

/// A truth value as a number of the type of `like`.
TensorId equals(GradientBuilder& b, const std::string& part, TensorId id, double number) {
    const TensorId same = b.elementwise(part + "/equal", Equal,
                                        {id, b.scalar(part + "/number", id, number)}, b.shape(id));
    b.graph().tensors[same].type = DataType::Bool;
    const TensorId mask = b.elementwise(part + "/mask", Cast, {same}, b.shape(id));
    b.graph().tensors[mask].type = b.tensor(id).type;
    return mask;
}

/// Of a product: that of all other factors, which is zero where another factor is. Zeros count as
/// ones in the product of those that are none; their number says whose gradient it is.
TensorId otherFactors(GradientBuilder& b, const std::string& part, TensorId in,
                      const std::vector<std::int64_t>& axes, const Shape& kept) {
    const Shape shape = b.shape(in);
    const TensorId isZero = equals(b, part + "/zero", in, 0);
    const TensorId factors = b.elementwise(part + "/factors", Add, {in, isZero}, shape);
    const TensorId product = b.emit(
        part + "/product", ReduceAttributes{ReduceFunction::Multiply, axes, true}, {factors}, kept);
    const TensorId count =
        b.emit(part + "/zeros", ReduceAttributes{ReduceFunction::Add, axes, true}, {isZero}, kept);
    const TensorId others = b.elementwise(part + "/others", Divide, {product, factors}, shape);
    const TensorId ofZero = b.elementwise(part + "/ofZero", Multiply,
                                          {isZero, equals(b, part + "/one", count, 1)}, shape);
    const TensorId isNext =
        b.elementwise(part + "/next", Add, {ofZero, equals(b, part + "/none", count, 0)}, shape);
    return b.times(part + "/other", others, isNext);
}

} // namespace

void addGradient(GradientBuilder& b, const ReduceAttributes& reduce, TensorId gradient) {
    const Op op = b.forward();
    const TensorId in = op.inputs[0];
    const Shape shape = b.shape(in);
    const std::string part = op.type + "Grad";
    TensorId g = keptDims(b, part + "/keepDims", gradient, shape, reduce.axes);
    switch (reduce.function) {
    case ReduceFunction::Mean: {
        const double share = static_cast<double>(b.tensor(op.outputs[0]).elements()) /
                             static_cast<double>(elementsOf(shape));
        b.contribute(in, b.scaled(part + "/mean", g, reduce.scale * share));
        return;
    }
    case ReduceFunction::Add:
        b.contribute(in, reduce.scale == 1 ? g : b.scaled(part + "/scale", g, reduce.scale));
        return;
    case ReduceFunction::SquareAdd:
        b.contribute(in,
                     b.elementwise(part, Multiply,
                                   {b.scaled(part + "/double", in, 2 * reduce.scale), g}, shape));
        return;
    case ReduceFunction::LogAdd: {
        // exp(x - y)
        const TensorId sum = keptDims(b, part + "/sum", op.outputs[0], shape, reduce.axes);
        const TensorId less = b.elementwise(part + "/sub", Subtract, {in, sum}, shape);
        b.contribute(in,
                     b.elementwise(part, Multiply,
                                   {b.elementwise(part + "/exp", Exp, {less}, shape), g}, shape));
        return;
    }
    case ReduceFunction::Max:
    case ReduceFunction::Min: {
        const TensorId best = keptDims(b, part + "/best", op.outputs[0], shape, reduce.axes);
        const TensorId same = b.elementwise(part + "/equal", Equal, {in, best}, shape);
        b.graph().tensors[same].type = DataType::Bool;
        const TensorId mask = b.elementwise(part + "/mask", Cast, {same}, shape);
        b.graph().tensors[mask].type = b.tensor(in).type;
        // Equal ones share the gradient, as PyTorch's amax() and amin() do.
        const TensorId count =
            b.emit(part + "/count", ReduceAttributes{ReduceFunction::Add, reduce.axes, true},
                   {mask}, b.shape(g));
        const TensorId share = b.elementwise(part + "/share", Divide, {g, count}, b.shape(g));
        b.contribute(in, b.elementwise(part, Multiply, {mask, share}, shape));
        return;
    }
    case ReduceFunction::Multiply:
        b.contribute(in, b.times(part, otherFactors(b, part, in, reduce.axes, b.shape(g)), g));
        return;
    default:
        throw UserError(fmt::format("operation '{}' ({}) has no gradient in this version; train a "
                                    "model without it",
                                    op.name, op.type));
    }
}

/// dx = y * (g - sum(g * y)); for a log-softmax g - exp(y) * sum(g).
void addGradient(GradientBuilder& b, const SoftmaxAttributes& softmax, TensorId gradient) {
    const Op op = b.forward();
    const TensorId y = op.outputs[0];
    const Shape shape = b.shape(y);
    ReduceAttributes reduce{ReduceFunction::Add, {}, true};
    Shape reduced = shape;
    for (std::int64_t axis = softmax.firstAxis; axis < softmax.endAxis; ++axis) {
        reduce.axes.push_back(axis);
        reduced[static_cast<std::size_t>(axis)] = 1;
    }
    if (softmax.logarithm) {
        const TensorId sum = b.emit("SoftmaxGrad/reduce", reduce, {gradient}, reduced);
        const TensorId powers = b.elementwise("SoftmaxGrad/exp", Exp, {y}, shape);
        const TensorId part = b.elementwise("SoftmaxGrad/mul", Multiply, {powers, sum}, shape);
        b.contribute(op.inputs[0],
                     b.elementwise("SoftmaxGrad/NegSub", Subtract, {gradient, part}, shape));
        return;
    }
    const TensorId products = b.elementwise("SoftmaxGrad/mul", Multiply, {gradient, y}, shape);
    const TensorId sum = b.emit("SoftmaxGrad/reduce", reduce, {products}, reduced);
    const TensorId scaled = b.elementwise("SoftmaxGrad/scale", Multiply, {y, sum}, shape);
    b.contribute(op.inputs[0],
                 b.elementwise("SoftmaxGrad/NegSub", Subtract, {products, scaled}, shape));
}

void addGradient(GradientBuilder& b, const PoolAttributes& pool, TensorId gradient) {
    const Op op = b.forward();
    const bool max = pool.kind == PoolKind::Max;
    std::vector<TensorId> operands{gradient};
    if (max)
        operands = {gradient, op.inputs[0], op.outputs[0]};
    b.contribute(op.inputs[0], b.emit(max ? "MaxPoolGrad" : "AveragePoolGrad",
                                      PoolGradAttributes{pool}, operands, b.shape(op.inputs[0])));
}

namespace {

/// The axis first, the others in order.
std::vector<std::int64_t> axisFirst(std::size_t axis, std::size_t rank) {
    std::vector<std::int64_t> order{static_cast<std::int64_t>(axis)};
    for (std::size_t d = 0; d < rank; ++d)
        if (d != axis)
            order.push_back(static_cast<std::int64_t>(d));
    return order;
}

std::vector<std::int64_t> inverseOf(const std::vector<std::int64_t>& permutation) {
    std::vector<std::int64_t> inverse(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i)
        inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
    return inverse;
}

/// A look-up's gradient with the dimensions of the indices, which are where the axis was, first.
TensorId indicesFirst(GradientBuilder& b, TensorId gradient, std::size_t axis,
                      std::size_t indexRank) {
    if (axis == 0)
        return gradient;
    std::vector<std::int64_t> order;
    const std::size_t rank = b.shape(gradient).size();
    for (std::size_t i = 0; i < indexRank; ++i)
        order.push_back(static_cast<std::int64_t>(axis + i));
    for (std::size_t d = 0; d < rank; ++d)
        if (d < axis || d >= axis + indexRank)
            order.push_back(static_cast<std::int64_t>(d));
    return b.transposed("GatherGrad/transpose", gradient, order);
}

} // namespace

/// Rows are added to zeros; addOptimizer() has them added straight to an accumulator. Rows of an
/// axis other than the first are added to a transposed view.
void addGradient(GradientBuilder& b, const GatherAttributes& gather, TensorId gradient) {
    const Op op = b.forward();
    const TensorId table = op.inputs[0];
    const auto axis = static_cast<std::size_t>(gather.axis);
    const Shape own = b.shape(table);
    const auto order = axisFirst(axis, own.size());
    Shape shape;
    for (const std::int64_t d : order)
        shape.push_back(own[static_cast<std::size_t>(d)]);
    const TensorId zeros = b.emit("GatherGrad/zero", FillAttributes{}, {}, shape);
    b.graph().tensors[zeros].type = b.tensor(table).type;
    if (axis == 0)
        b.graph().tensors[zeros].layoutOf = table;
    const std::int64_t rows = b.tensor(op.inputs[1]).elements();
    Shape flat = shape;
    flat[0] = rows;
    const TensorId moved = indicesFirst(b, gradient, axis, b.shape(op.inputs[1]).size());
    const TensorId deltas = b.reshaped("GatherGrad/rows", moved, flat);
    const TensorId indices = b.reshaped("GatherGrad/indices", op.inputs[1], {rows});
    const TensorId sum =
        b.emit("GatherGrad", MultiUpdateAttributes{0}, {zeros, indices, deltas}, shape);
    b.contribute(table, axis == 0 ? sum : b.transposed("GatherGrad/back", sum, inverseOf(order)));
}

/// What was there keeps the gradient of the rows that were not overwritten; the rows written get
/// theirs.
void addGradient(GradientBuilder& b, const MultiUpdateAttributes& update, TensorId gradient) {
    const Op op = b.forward();
    const TensorId table = op.inputs[0];
    const TensorId rows = op.inputs[2];
    if (update.function != UpdateFunction::Add && update.function != UpdateFunction::Set)
        throw UserError(fmt::format("operation '{}' ({}) multiplies or compares rows: it has no "
                                    "gradient in this version; train a model without it",
                                    op.name, op.type));
    if (b.wanted(rows))
        b.contribute(rows, b.emit("ScatterUpdateGrad", GatherAttributes{update.axis},
                                  {gradient, op.inputs[1]}, b.shape(rows)));
    if (!b.wanted(table))
        return;
    if (update.function == UpdateFunction::Add) {
        b.contribute(table, gradient);
        return;
    }
    const TensorId zeros = b.emit("ScatterDataGrad/zero", FillAttributes{}, {}, b.shape(rows));
    b.graph().tensors[zeros].type = b.tensor(table).type;
    const TensorId copy = b.elementwise("ScatterDataGrad/copy", Copy, {gradient}, b.shape(table));
    b.contribute(table,
                 b.emit("ScatterDataGrad", update, {copy, op.inputs[1], zeros}, b.shape(table)));
}

} // namespace tilescope::sim
