#include "simulator/graph/graph_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::sim {
namespace {

std::string tensorsText(const Graph& graph, const std::vector<TensorId>& tensors) {
    std::vector<std::string> texts;
    for (const TensorId id : tensors) {
        const Tensor& tensor = graph.tensors[id];
        texts.push_back(fmt::format("{} {}[{}]", tensor.name, toString(tensor.type),
                                    fmt::join(tensor.shape, ",")));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string placeText(const Op& op) {
    std::string text(toString(op.pass));
    if (op.stage != 0)
        text += fmt::format(", stage {}", op.stage);
    if (op.executionPhase >= 0)
        text += fmt::format(", phase {}", op.executionPhase);
    if (op.recomputeGroup >= 0)
        text += fmt::format(", recomputed in group {}", op.recomputeGroup);
    return text;
}

void addOperations(std::string& text, const Graph& graph) {
    for (const Op& op : graph.ops)
        text +=
            fmt::format("{} ({}, {}; {}): {} -> {}\n", op.name, op.type, op.kind(), placeText(op),
                        tensorsText(graph, op.inputs), tensorsText(graph, op.outputs));
}

} // namespace

std::string graphText(const Graph& graph) {
    std::string text;
    for (std::size_t i = 0; i < graph.functions.size(); ++i) {
        text += fmt::format("function {}\n", i);
        addOperations(text, graph.functions[i]);
        text += '\n';
    }
    addOperations(text, graph);
    return text;
}

} // namespace tilescope::sim
