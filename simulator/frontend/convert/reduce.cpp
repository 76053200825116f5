// Reductions.
#include <algorithm>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

std::vector<std::int64_t> sortedAxes(const NodeConverter& node) {
    std::vector<std::int64_t> axes;
    for (const std::int64_t axis : node.list("axes", 1))
        axes.push_back(static_cast<std::int64_t>(normalizedAxis(axis, node.rank(0))));
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    return axes.empty() ? axesFrom(0, node.rank(0)) : axes;
}

TensorId reduced(NodeConverter& node, const std::string& part, ReduceFunction function,
                 TensorId from) {
    const bool keep = node.node().integer("keepdims", 1) != 0;
    return node.emit(part, ReduceAttributes{function, sortedAxes(node), keep}, {from});
}

bool reducesNothing(const NodeConverter& node) {
    return node.node().integer("noop_with_empty_axes", 0) != 0 && node.list("axes", 1).empty();
}

template <ReduceFunction function> void convertReduce(NodeConverter& node) {
    node.result(reducesNothing(node) ? node.input(0) : reduced(node, "", function, node.input(0)));
}

void convertReduceL1(NodeConverter& node) {
    const TensorId sizes = node.elementwise("abs", Abs, {node.input(0)});
    node.result(reduced(node, "", ReduceFunction::Add, sizes));
}

template <ReduceFunction function, ElementwiseFunction after>
void convertReduceThen(NodeConverter& node) {
    const TensorId sum = reduced(node, "reduce", function, node.input(0));
    const DataType type = node.builder().tensor(sum).type;
    if (isFloating(type))
        return node.result(node.elementwise("", after, {sum}));
    const TensorId real = node.cast("real", sum, DataType::Float);
    node.result(node.cast("", node.elementwise("function", after, {real}), type));
}

/// The first of equal elements, or the last if requested: the first of the reversed rows.
template <ReduceFunction function> void convertArg(NodeConverter& node) {
    const ReduceAttributes reduce{
        function, {node.axis("axis", 0)}, node.node().integer("keepdims", 1) != 0};
    if (node.node().integer("select_last_index", 0) == 0)
        return node.result(node.emit("", reduce, {node.input(0)}));
    const auto axis = static_cast<std::size_t>(reduce.axes.front());
    const std::int64_t last = node.shape(0)[axis] - 1;
    const TensorId reversed = rowsFrom(node, "reversed", node.input(0), axis, last, last + 1, -1);
    const TensorId fromBehind = node.emit("index", reduce, {reversed});
    node.result(node.elementwise(
        "", Subtract, {node.scalar("last", fromBehind, static_cast<double>(last)), fromBehind}));
}

} // namespace

void addReduceConversions(ConversionTable& table) {
    table["ReduceSum"] = convertReduce<ReduceFunction::Add>;
    table["ReduceMean"] = convertReduce<ReduceFunction::Mean>;
    table["ReduceMax"] = convertReduce<ReduceFunction::Max>;
    table["ReduceMin"] = convertReduce<ReduceFunction::Min>;
    table["ReduceProd"] = convertReduce<ReduceFunction::Multiply>;
    table["ReduceSumSquare"] = convertReduce<ReduceFunction::SquareAdd>;
    table["ReduceLogSumExp"] = convertReduce<ReduceFunction::LogAdd>;
    table["ReduceL1"] = convertReduceL1;
    table["ReduceL2"] = convertReduceThen<ReduceFunction::SquareAdd, Sqrt>;
    table["ReduceLogSum"] = convertReduceThen<ReduceFunction::Add, Log>;
    table["ArgMax"] = convertArg<ReduceFunction::ArgMax>;
    table["ArgMin"] = convertArg<ReduceFunction::ArgMin>;
}

} // namespace tilescope::sim
