// Normalizations over the data of one example, composed of reductions and elementwise functions.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

struct Statistics {
    TensorId mean;
    TensorId inverseDeviation;
    TensorId whitened;
};

Statistics whiten(NodeConverter& node, TensorId x, const std::vector<std::int64_t>& axes,
                  const std::string& resultPart) {
    // PopLibs poplin/Norms.cpp: mean and mean square (its factor is the reduction's scale), one
    // vertex for the inverse deviation, then difference and product.
    Statistics result;
    result.mean = node.emit("Norm/statistics/mean",
                            ReduceAttributes{ReduceFunction::Mean, axes, true}, {x});
    const TensorId power = node.emit("Norm/statistics/power",
                                     ReduceAttributes{ReduceFunction::SquareAdd, axes, true}, {x});
    result.inverseDeviation = node.elementwise("Norm/statistics/iStdDev", InverseStdDeviation,
                                               {result.mean, power});
    const TensorId centred = node.elementwise("whitenedActs/sub", Subtract, {x, result.mean});
    result.whitened = node.elementwise(resultPart, Multiply, {centred, result.inverseDeviation});
    return result;
}

std::vector<std::int64_t> axesFrom(std::size_t first, std::size_t rank) {
    std::vector<std::int64_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(first));
    return axes;
}

/// One operation with a gradient of its own (NormAttributes).
TensorId trainedNorm(NodeConverter& node, const std::vector<std::int64_t>& axes, TensorId scale,
                     TensorId shift) {
    return node.emit("", NormAttributes{axes, false}, {node.input(0), scale, shift});
}

TensorId trainedWhitening(NodeConverter& node, const std::string& part,
                          const std::vector<std::int64_t>& axes) {
    return node.emit(part, NormAttributes{axes, false}, {node.input(0)});
}

void convertInstanceNormalization(NodeConverter& node) {
    if (node.rank(0) < 3)
        NodeConverter::refuse("its input has no spatial dimension");
    const Shape perChannel = channelShape(node.shape(0)[1], node.rank(0));
    const auto axes = axesFrom(2, node.rank(0));
    if (node.builder().isTraining()) {
        const TensorId scale = node.parameter(1, perChannel);
        node.result(trainedNorm(node, axes, scale, node.parameter(2, perChannel)));
        return;
    }
    const TensorId whitened = whiten(node, node.input(0), axes, "whitenedActs/mul").whitened;
    const TensorId scaled =
        node.elementwise("scale", Multiply, {whitened, node.parameter(1, perChannel)});
    node.result(node.elementwise("", Add, {scaled, node.parameter(2, perChannel)}));
}

void convertLayerNormalization(NodeConverter& node) {
    const auto axis = static_cast<std::size_t>(node.axis("axis", -1));
    const bool statisticsRead = node.isOutputUsed(1) || node.isOutputUsed(2);
    if (node.builder().isTraining()) {
        if (statisticsRead)
            NodeConverter::refuse("its statistics are read; only the normalised data are supported "
                                  "in training");
        const auto axes = axesFrom(axis, node.rank(0));
        node.result(node.has(2)
                        ? trainedNorm(node, axes, node.input(1), node.input(2))
                        : node.elementwise("", Multiply,
                                           {trainedWhitening(node, "whiten", axes), node.input(1)}));
        return;
    }
    const Statistics statistics =
        whiten(node, node.input(0), axesFrom(axis, node.rank(0)), "whitenedActs/mul");
    const bool hasBias = node.has(2);
    TensorId y =
        node.elementwise(hasBias ? "scale" : "", Multiply, {statistics.whitened, node.input(1)});
    if (hasBias)
        y = node.elementwise("", Add, {y, node.input(2)});
    node.result(y);
    if (node.isOutputUsed(1))
        node.result(statistics.mean, 1);
    if (node.isOutputUsed(2))
        node.result(statistics.inverseDeviation, 2);
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
            NodeConverter::refuse(fmt::format("its operand {} of shape {} does not have a value for "
                                              "each of {} {}",
                                              i, toString(node.shape(i)), elementsOf(parameter),
                                              perGroup ? "groups" : "channels"));
    const TensorId x = node.reshape("groups", node.input(0), grouped);
    const TensorId scale = node.parameter(1, parameter);
    const TensorId shift = node.parameter(2, parameter);
    const auto axes = axesFrom(2, grouped.size());
    TensorId y;
    if (node.builder().isTraining()) {
        y = node.emit("groupNorm", NormAttributes{axes, false}, {x, scale, shift});
    } else {
        const TensorId whitened = whiten(node, x, axes, "whitenedActs/mul").whitened;
        y = node.elementwise("shift", Add,
                             {node.elementwise("scale", Multiply, {whitened, scale}), shift});
    }
    node.result(node.reshape("", y, shape));
}

void convertMeanVarianceNormalization(NodeConverter& node) {
    auto stated = node.node().integers("axes");
    if (stated.empty())
        stated = {0, 2, 3};
    std::vector<std::int64_t> axes;
    for (const std::int64_t axis : stated)
        axes.push_back(static_cast<std::int64_t>(normalizedAxis(axis, node.rank(0))));
    std::sort(axes.begin(), axes.end());
    if (node.builder().isTraining()) {
        node.result(trainedWhitening(node, "", axes));
        return;
    }
    node.result(whiten(node, node.input(0), axes, "").whitened);
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
    table["GroupNormalization"] = convertGroupNormalization;
    table["LayerNormalization"] = convertLayerNormalization;
    table["MeanVarianceNormalization"] = convertMeanVarianceNormalization;
    table["LpNormalization"] = convertLpNormalization;
    table["LRN"] = convertLrn;
}

} // namespace tilescope::sim
