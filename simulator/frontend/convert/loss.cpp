// ONNX's training losses, in the operations that autodiff knows the gradients of.
#include <fmt/format.h>

#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/resolve/index_rules.h"

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
    if (node.has(2))
        NodeConverter::refuse("it weighs the classes; export it without a weight operand");
    if (node.node().has("ignore_index"))
        node.builder().count(node.node().type, "read without its ignore_index: labels of that "
                                               "class count as any other, and no step masks them");
    if (node.builder().isTraining() && reductionOf(node) == Reduction::None)
        NodeConverter::refuse("reduction 'none' leaves no loss to train on; export it with "
                              "reduction 'mean' or 'sum'");
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

TensorId reduced(NodeConverter& node, const std::string& part, TensorId terms) {
    const Reduction reduction = reductionOf(node);
    const auto axes =
        reduction == Reduction::None ? std::vector<std::int64_t>{1} : axesFrom(0, node.rank(0));
    const ReduceFunction function =
        reduction == Reduction::Mean ? ReduceFunction::Mean : ReduceFunction::Add;
    return node.emit(part, ReduceAttributes{function, axes, false}, {terms});
}

void convertSoftmaxCrossEntropy(NodeConverter& node) {
    checkLoss(node);
    if (node.isOutputUsed(1))
        NodeConverter::refuse(
            "its logarithms of probabilities are read; add a LogSoftmax for them");
    const TensorId scores = node.input(0);
    const DataType type = node.builder().tensor(scores).type;
    const TensorId probabilities = node.emit("softmax", SoftmaxAttributes{1, 2, false}, {scores});
    const TensorId terms =
        node.elementwise("nll", CrossEntropy, {probabilities, encodedLabels(node, type)});
    node.result(reduced(node, "reduce", terms));
}

void convertNegativeLogLikelihood(NodeConverter& node) {
    checkLoss(node);
    const TensorId logarithms = node.input(0);
    const DataType type = node.builder().tensor(logarithms).type;
    const TensorId terms =
        node.elementwise("nll", Multiply, {logarithms, encodedLabels(node, type)});
    node.result(node.elementwise("", Negate, {reduced(node, "reduce", terms)}));
}

} // namespace

void addLossConversions(ConversionTable& table) {
    table["SoftmaxCrossEntropyLoss"] = convertSoftmaxCrossEntropy;
    table["NegativeLogLikelihoodLoss"] = convertNegativeLogLikelihood;
}

} // namespace tilescope::sim
