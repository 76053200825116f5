// Normalizations over the data of one example.
#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

NormAttributes attributesOf(const NodeConverter& node, const std::vector<std::int64_t>& axes) {
    NormAttributes norm{axes, false};
    norm.epsilon = node.node().real("epsilon", 1e-5);
    return norm;
}

/// One operation, which is decomposed after autodiff (NormAttributes).
TensorId norm(NodeConverter& node, const std::vector<std::int64_t>& axes, TensorId scale,
              TensorId shift) {
    return node.emit("", attributesOf(node, axes), {node.input(0), scale, shift});
}

/// The same without scale and shift.
TensorId whitening(NodeConverter& node, const std::string& part,
                   const std::vector<std::int64_t>& axes) {
    return node.emit(part, attributesOf(node, axes), {node.input(0)});
}

void convertInstanceNormalization(NodeConverter& node) {
    if (node.rank(0) < 3)
        NodeConverter::refuse("its input has no spatial dimension");
    const Shape perChannel = channelShape(node.shape(0)[1], node.rank(0));
    const TensorId scale = node.parameter(1, perChannel);
    node.result(norm(node, axesFrom(2, node.rank(0)), scale, node.parameter(2, perChannel)));
}

/// Binds the ONNX results 1 and 2 to the statistics of the normalisation that was added last.
void giveStatistics(NodeConverter& node, std::size_t firstAxis) {
    Shape reduced = node.shape(0);
    std::fill(reduced.begin() + static_cast<std::ptrdiff_t>(firstAxis), reduced.end(), 1);
    const TensorId mean = node.builder().addResult("mean", reduced);
    const TensorId deviation = node.builder().addResult("iStdDev", reduced);
    if (node.isOutputUsed(1))
        node.result(mean, 1);
    if (node.isOutputUsed(2))
        node.result(deviation, 2);
}

void convertLayerNormalization(NodeConverter& node) {
    const auto axis = static_cast<std::size_t>(node.axis("axis", -1));
    const bool statisticsRead = node.isOutputUsed(1) || node.isOutputUsed(2);
    if (node.builder().isTraining() && statisticsRead)
        NodeConverter::refuse("its statistics are read; only the normalised data are supported "
                              "in training");
    const auto axes = axesFrom(axis, node.rank(0));
    const bool hasBias = node.has(2);
    TensorId y =
        hasBias ? norm(node, axes, node.input(1), node.input(2)) : whitening(node, "whiten", axes);
    if (statisticsRead)
        giveStatistics(node, axis);
    if (!hasBias)
        y = node.elementwise("", Multiply, {y, node.input(1)});
    node.result(y);
}

/// Scale and shift are per channel (ai.graphcore, ONNX since set 21) or per group (before); the
/// channels of a group are a dimension of their own, as popnn::gn has them.
void convertGroupNormalization(NodeConverter& node) {
    if (node.isOutputUsed(1) || node.isOutputUsed(2))
        NodeConverter::refuse("its statistics are read; only the normalised data are supported");
    const Shape shape = node.shape(0);
    const std::int64_t groups = node.node().integer("num_groups", 1);
    const bool perGroup = node.node().integer("scale_per_group", 0) != 0;
    Shape grouped = shape;
    grouped[1] /= groups;
    grouped.insert(grouped.begin() + 1, groups);
    Shape parameter(grouped.size() - 1, 1);
    parameter[0] = groups;
    if (!perGroup)
        parameter[1] = grouped[2];
    for (const std::size_t i : {1U, 2U})
        if (elementsOf(node.shape(i)) != elementsOf(parameter))
            NodeConverter::refuse(
                fmt::format("its operand {} of shape {} does not have a value for "
                            "each of {} {}",
                            i, toString(node.shape(i)), elementsOf(parameter),
                            perGroup ? "groups" : "channels"));
    const TensorId x = node.reshape("groups", node.input(0), grouped);
    const TensorId scale = node.parameter(1, parameter);
    const TensorId shift = node.parameter(2, parameter);
    const auto axes = axesFrom(2, grouped.size());
    const TensorId y = node.emit("groupNorm", attributesOf(node, axes), {x, scale, shift});
    node.result(node.reshape("", y, shape));
}

void convertMeanVarianceNormalization(NodeConverter& node) {
    auto stated = node.node().integers("axes");
    if (stated.empty())
        stated = {0, 2, 3};
    std::vector<std::int64_t> axes;
    axes.reserve(stated.size());
    for (const std::int64_t axis : stated)
        axes.push_back(static_cast<std::int64_t>(normalizedAxis(axis, node.rank(0))));
    std::sort(axes.begin(), axes.end());
    // ONNX adds 1e-9 to the deviation.
    NormAttributes norm{axes, false};
    norm.epsilon = 1e-18;
    node.result(node.emit("", norm, {node.input(0)}));
}

void convertLpNormalization(NodeConverter& node) {
    const std::vector<std::int64_t> axes{node.axis("axis", -1)};
    const TensorId x = node.input(0);
    const bool squares = node.node().integer("p", 2) == 2;
    const TensorId terms = squares ? x : node.elementwise("abs", Abs, {x});
    const auto function = squares ? ReduceFunction::SquareAdd : ReduceFunction::Add;
    TensorId norm = node.emit("reduce", ReduceAttributes{function, axes, true}, {terms});
    if (squares)
        norm = node.elementwise("sqrt", Sqrt, {norm});
    node.result(node.elementwise("", Divide, {x, norm}));
}

void convertLrn(NodeConverter& node) {
    const Node& onnx = node.node();
    const LrnAttributes lrn{onnx.integer("size", 1), onnx.real("alpha", 1e-4),
                            onnx.real("beta", 0.75), onnx.real("bias", 1)};
    node.result(node.emit("", lrn, {node.input(0)}));
}

} // namespace

void addNormalizationConversions(ConversionTable& table) {
    table["InstanceNormalization"] = convertInstanceNormalization;
    table["ai.graphcore.GroupNormalization"] = convertGroupNormalization;
    table["LayerNormalization"] = convertLayerNormalization;
    table["MeanVarianceNormalization"] = convertMeanVarianceNormalization;
    table["LpNormalization"] = convertLpNormalization;
    table["LRN"] = convertLrn;
}

} // namespace tilescope::sim
