// ONNX's training losses, in operations that autodiff has gradients for.
#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/resolve/index_rules.h"
#include "simulator/frontend/resolve/own_shapes.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

enum class Reduction { None, Mean, Sum };

Reduction reductionOf(const NodeConverter& node) {
    const std::string text = node.node().text("reduction", "mean");
    if (text == "mean")
        return Reduction::Mean;
    if (text == "sum")
        return Reduction::Sum;
    if (text != "none")
        NodeConverter::refuse(
            fmt::format("reduction '{}' is none of 'mean', 'sum' and 'none'", text));
    return Reduction::None;
}

void checkLoss(NodeConverter& node) {
    if (node.rank(0) < 2)
        NodeConverter::refuse("its scores have no class dimension");
    if (node.builder().isTraining() && reductionOf(node) == Reduction::None)
        NodeConverter::refuse("reduction 'none' leaves no loss to train on; export it with "
                              "reduction 'mean' or 'sum'");
}

/// Whether labels are weighted by their class, or some are ignored.
bool weighs(const NodeConverter& node) {
    return node.has(2) || node.node().has("ignore_index");
}

/// Class indices [N, d...] as [N, classes, d...].
TensorId encodedLabels(NodeConverter& node, DataType type) {
    const Shape scores = node.shape(0);
    Shape column = node.shape(1);
    column.push_back(1);
    const TensorId labels = node.reshape("labels", node.input(1), column);
    Shape encoded = column;
    encoded.back() = scores[1];
    const TensorId last =
        node.builder().addOp(node.node(), node.node().name + "/oneHot",
                             ElementwiseAttributes{OneHot}, {labels}, encoded, type);
    if (scores.size() == 2)
        return last;
    auto order = axesFrom(0, scores.size() - 1);
    order.insert(order.begin() + 1, static_cast<std::int64_t>(scores.size()) - 1);
    return node.emit("expected", TransposeAttributes{std::move(order)}, {last});
}

/// The label that does not count: "ignore_index", in PopART's own operators "ignoreIndex".
TensorId ignoredLabel(NodeConverter& node, TensorId labels) {
    const Node& onnx = node.node();
    return node.scalar(
        "ignoreIndex", labels,
        static_cast<double>(onnx.integer("ignore_index", onnx.integer("ignoreIndex", 0))));
}

/// The encoded labels times the weight of their class; those to be ignored become zeros (PopART
/// popx NllOpx: a mask of the labels that are not ignored).
TensorId weighed(NodeConverter& node, TensorId expected) {
    Shape shape = node.shape(0);
    if (node.has(2)) {
        if (elementsOf(node.shape(2)) != shape[1])
            NodeConverter::refuse(fmt::format("its {} weights are not one for each of {} classes",
                                              elementsOf(node.shape(2)), shape[1]));
        const TensorId weights = node.parameter(2, channelShape(shape[1], shape.size()));
        expected = node.elementwise("weigh", Multiply, {expected, weights});
    }
    if (node.node().has("ignore_index")) {
        shape[1] = 1;
        const TensorId labels = node.reshape("ignore/labels", node.input(1), shape);
        const TensorId ignored =
            node.elementwise("ignore/equal", Equal, {labels, ignoredLabel(node, labels)});
        const TensorId counted = node.elementwise("ignore/not", Not, {ignored});
        const TensorId mask =
            node.cast("ignore/mask", counted, node.builder().tensor(expected).type);
        expected = node.elementwise("ignore", Multiply, {expected, mask});
    }
    return expected;
}

TensorId reducedLoss(NodeConverter& node, const std::string& part, TensorId terms,
                     Reduction reduction) {
    const auto axes =
        reduction == Reduction::None ? std::vector<std::int64_t>{1} : axesFrom(0, node.rank(0));
    const ReduceFunction function =
        reduction == Reduction::Mean ? ReduceFunction::Mean : ReduceFunction::Add;
    ReduceAttributes reduce{function, axes, false};
    if (reduction == Reduction::Mean) // over labels: one class of each has a term
        reduce.scale = static_cast<double>(node.shape(0).at(1));
    return node.emit(part, reduce, {terms});
}

/// -log(p) of the labelled classes; the mean of weighted labels is divided by their weights.
void likelihoodLoss(NodeConverter& node, TensorId logarithms) {
    const DataType type = node.builder().tensor(logarithms).type;
    TensorId expected = encodedLabels(node, type);
    const Reduction reduction = reductionOf(node);
    const bool ofWeights = weighs(node) && reduction == Reduction::Mean;
    if (weighs(node))
        expected = weighed(node, expected);
    const TensorId terms = node.elementwise("nll", Multiply, {logarithms, expected});
    TensorId loss = reducedLoss(node, "reduce", terms, ofWeights ? Reduction::Sum : reduction);
    if (ofWeights) {
        const TensorId total = reducedLoss(node, "weights", expected, Reduction::Sum);
        loss = node.elementwise("mean", Divide, {loss, total});
    }
    node.result(node.elementwise("", Negate, {loss}));
}

void convertSoftmaxCrossEntropy(NodeConverter& node) {
    checkLoss(node);
    const TensorId scores = node.input(0);
    if (weighs(node) || node.isOutputUsed(1)) {
        const TensorId logarithms =
            node.emit("logSoftmax", SoftmaxAttributes{1, 2, true}, {scores});
        if (node.isOutputUsed(1))
            node.result(logarithms, 1);
        return likelihoodLoss(node, logarithms);
    }
    const DataType type = node.builder().tensor(scores).type;
    const TensorId probabilities = node.emit("softmax", SoftmaxAttributes{1, 2, false}, {scores});
    const TensorId terms =
        node.elementwise("nll", CrossEntropy, {probabilities, encodedLabels(node, type)});
    node.result(reducedLoss(node, "reduce", terms, reductionOf(node)));
}

void convertNegativeLogLikelihood(NodeConverter& node) {
    checkLoss(node);
    likelihoodLoss(node, node.input(0));
}

} // namespace

/// PopART's: probabilities, or their logarithms, [..., classes] and the labels of all but the last
/// dimension.
void convertGraphcoreNll(NodeConverter& node) {
    const Shape scores = node.shape(0);
    const bool logarithms = node.node().integer("inputIsLogProbability", 0) != 0;
    Shape column = node.shape(1);
    column.push_back(1);
    if (column.size() != scores.size())
        NodeConverter::refuse(fmt::format("labels {} do not fit probabilities {}",
                                          toString(node.shape(1)), toString(scores)));
    const TensorId probabilities = node.input(0);
    const TensorId labels = node.reshape("labels", node.input(1), column);
    Shape encoded = column;
    encoded.back() = scores.back();
    TensorId expected = node.builder().addOp(node.node(), node.node().name + "/oneHot",
                                             ElementwiseAttributes{OneHot}, {labels}, encoded,
                                             node.builder().tensor(probabilities).type);
    if (node.node().has("ignoreIndex")) {
        const TensorId ignored =
            node.elementwise("ignore/equal", Equal, {labels, ignoredLabel(node, labels)});
        const TensorId counted = node.elementwise("ignore/not", Not, {ignored});
        expected =
            node.elementwise("ignore", Multiply,
                             {expected, node.cast("ignore/mask", counted,
                                                  node.builder().tensor(probabilities).type)});
    }
    const TensorId terms =
        node.elementwise("nll", logarithms ? Multiply : CrossEntropy, {probabilities, expected});
    const std::string reduction = graphcoreReduction(node.node());
    const auto last = static_cast<std::int64_t>(scores.size()) - 1;
    // A mean is one of the labels that count (PopART popx NllOpx).
    const bool ofCounted = reduction == "mean" && node.node().has("ignoreIndex");
    const ReduceFunction function =
        reduction == "mean" && !ofCounted ? ReduceFunction::Mean : ReduceFunction::Add;
    const auto axes =
        reduction == "none" ? std::vector<std::int64_t>{last} : axesFrom(0, scores.size());
    ReduceAttributes reduce{function, axes, false};
    if (function == ReduceFunction::Mean)
        reduce.scale = static_cast<double>(scores.back());
    TensorId loss = node.emit("reduce", reduce, {terms});
    if (ofCounted) {
        const TensorId counted = node.emit("counted", reduce, {expected});
        loss = node.elementwise("mean", Divide, {loss, counted});
    }
    node.result(logarithms ? node.elementwise("", Negate, {loss}) : loss);
}

void addLossConversions(ConversionTable& table) {
    table["SoftmaxCrossEntropyLoss"] = convertSoftmaxCrossEntropy;
    table["NegativeLogLikelihoodLoss"] = convertNegativeLogLikelihood;
    table["ai.graphcore.Nll"] = convertGraphcoreNll;
}

} // namespace tilescope::sim
