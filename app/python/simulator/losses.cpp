// Finds the value that training minimises in an exported model.
#include "app/python/simulator/annotations.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <set>
#include <vector>

#include "core/base/error.h"

namespace tilescope::python {
namespace {

/// Marks an IdentityLoss written by the program itself.
constexpr const char* markedAttribute = "__marked";

bool isLoss(const onnx::NodeProto& node) {
    static const std::set<std::string> ofOnnx{"SoftmaxCrossEntropyLoss",
                                              "NegativeLogLikelihoodLoss"};
    static const std::set<std::string> ofPopart{"IdentityLoss", "Nll", "L1"};
    return node.domain() == "ai.graphcore" ? ofPopart.contains(node.op_type())
                                           : ofOnnx.contains(node.op_type());
}

/// Losses on which no other loss depends.
std::vector<const onnx::NodeProto*> lastLosses(const onnx::GraphProto& graph) {
    std::set<std::string> read; // by losses, directly or through others
    std::vector<const onnx::NodeProto*> last;
    for (int i = graph.node_size(); i-- > 0;) {
        const onnx::NodeProto& node = graph.node(i);
        const bool reaches = std::any_of(node.output().begin(), node.output().end(),
                                         [&](const auto& out) { return read.contains(out); });
        if (isLoss(node) && !reaches)
            last.push_back(&node);
        if (isLoss(node) || reaches)
            read.insert(node.input().begin(), node.input().end());
    }
    return last;
}

bool isMarked(const onnx::NodeProto& loss) {
    return std::any_of(loss.attribute().begin(), loss.attribute().end(),
                       [](const auto& a) { return a.name() == markedAttribute; });
}

/// A value and all values made from it with a gradient.
std::set<std::string> madeFrom(const onnx::GraphProto& graph, const std::string& value) {
    std::set<std::string> made{value};
    for (const onnx::NodeProto& node : graph.node())
        if (node.op_type() != "Detach" &&
            std::any_of(node.input().begin(), node.input().end(),
                        [&](const auto& input) { return made.contains(input); }))
            made.insert(node.output().begin(), node.output().end());
    return made;
}

/// The value passed on by Identity nodes.
std::string handedOn(const onnx::GraphProto& graph, std::string value) {
    for (int i = graph.node_size(); i-- > 0;)
        if (const onnx::NodeProto& node = graph.node(i);
            node.op_type() == "Identity" && node.output(0) == value)
            value = node.input(0);
    return value;
}

/// The results of one number that are made from the loss, each once.
std::vector<int> resultsOf(const onnx::GraphProto& graph, const std::string& loss,
                           const std::vector<int>& numbers) {
    const std::set<std::string> made = madeFrom(graph, loss);
    std::set<std::string> known;
    std::vector<int> results;
    for (const int i : numbers)
        if (const std::string& name = graph.output(i).name();
            made.contains(name) && known.insert(handedOn(graph, name)).second)
            results.push_back(i);
    return results;
}

bool returns(const onnx::GraphProto& graph, const std::string& value) {
    return std::any_of(graph.output().begin(), graph.output().end(),
                       [&](const auto& output) { return handedOn(graph, output.name()) == value; });
}

bool isHalf(const onnx::GraphProto& graph) {
    return std::any_of(graph.initializer().begin(), graph.initializer().end(),
                       [](const auto& t) { return t.data_type() == onnx::TensorProto::FLOAT16; });
}

void makeOutput(onnx::GraphProto& graph, const std::string& loss) {
    const bool isOutput = std::any_of(graph.output().begin(), graph.output().end(),
                                      [&](const auto& output) { return output.name() == loss; });
    if (isOutput)
        return;
    auto& output = *graph.add_output();
    output.set_name(loss);
    auto& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(isHalf(graph) ? onnx::TensorProto::FLOAT16 : onnx::TensorProto::FLOAT);
    type.mutable_shape(); // the shape of one number
}

const onnx::NodeProto& onlyLoss(const onnx::GraphProto& graph) {
    const auto losses = lastLosses(graph);
    if (losses.empty())
        throw UserError("the model has no loss to train on: return one from forward(), from a loss "
                        "of torch.nn or marked by poptorch.identity_loss()");
    if (losses.size() > 1) {
        std::vector<std::string> names;
        names.reserve(losses.size());
        for (const onnx::NodeProto* loss : losses)
            names.push_back(loss->name());
        throw UserError(fmt::format("the model has several losses ({}); add them up and mark the "
                                    "sum with poptorch.identity_loss()",
                                    fmt::join(names, ", ")));
    }
    return *losses.front();
}

} // namespace

std::string lossOf(onnx::ModelProto& model, const std::vector<int>& numbers) {
    onnx::GraphProto& graph = *model.mutable_graph();
    const onnx::NodeProto& loss = onlyLoss(graph);
    std::string name = loss.output(0);
    const std::vector<int> results = resultsOf(graph, name, numbers);
    const bool isReturned = returns(graph, name);
    if (results.size() == 1)
        return graph.output(results.front()).name();
    if (results.size() > 1 && !(isReturned && isMarked(loss)))
        throw UserError(fmt::format("results {} of forward() are all single numbers made from "
                                    "the loss '{}': mark the one to train on with "
                                    "poptorch.identity_loss(), and detach() the others",
                                    fmt::join(results, ", "), loss.name()));
    if (!isReturned && !isMarked(loss))
        throw UserError(fmt::format(
            "forward() computes the loss '{}', but returns no number with a gradient that is made "
            "from it: return the loss, or mark the value to train on with poptorch.identity_loss()",
            loss.name()));
    makeOutput(graph, name);
    return name;
}

} // namespace tilescope::python
