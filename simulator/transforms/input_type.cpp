#include "simulator/transforms/decompose.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tilescope::sim {
namespace {

std::optional<DataType> sentAs(InputType type) {
    switch (type) {
    case InputType::AsModel:
        return {};
    case InputType::Float:
        return DataType::Float;
    case InputType::Half:
        return DataType::Half;
    case InputType::Int8:
        return DataType::Int8;
    }
    return {};
}

std::string unusedName(const Graph& graph, std::string name) {
    const auto isUsed = [&] {
        return std::any_of(graph.ops.begin(), graph.ops.end(),
                           [&](const Op& op) { return op.name == name; });
    };
    while (isUsed())
        name += "_";
    return name;
}

/// The cast of an input, in the stage and phase of its first reader.
Op castFor(const Op& reader, std::string name, TensorId sent, TensorId cast) {
    Op op;
    op.name = std::move(name);
    op.type = "Cast";
    op.attributes = ElementwiseAttributes{ElementwiseFunction::Cast};
    op.inputs = {sent};
    op.outputs = {cast};
    op.pass = reader.pass;
    op.stage = reader.stage;
    op.stageHint = reader.stageHint;
    op.ipuHint = reader.ipuHint;
    op.phaseHint = reader.phaseHint;
    op.executionPhase = reader.executionPhase;
    return op;
}

} // namespace

Graph withInputType(Graph graph, InputType type) {
    const std::optional<DataType> sent = sentAs(type);
    if (!sent)
        return graph;
    const std::vector<std::vector<OpId>> readers = graph.consumers();
    std::map<TensorId, TensorId> sentFor; // by the tensor that the model reads
    for (TensorId& input : graph.inputs) {
        Tensor& model = graph.tensors[input];
        if (!isFloating(model.type) || model.type == *sent || readers[input.index()].empty())
            continue;
        Tensor arriving = model;
        arriving.type = *sent;
        model.role = TensorRole::Activation;
        model.name = unusedName(graph, model.name + "/Cast");
        const TensorId id = graph.tensors.add(std::move(arriving)); // ends the life of `model`
        sentFor.emplace(input, id);
        input = id;
    }
    if (sentFor.empty()) {
        graph.messages.push_back({Severity::Warning,
                                  "option inputType has no effect: the model has no floating-point "
                                  "input of another type"});
        return graph;
    }
    IdVector<OpId, Op> ops;
    for (Op& op : graph.ops) {
        for (const TensorId read : op.inputs)
            if (const auto found = sentFor.find(read); found != sentFor.end()) {
                ops.add(castFor(op, graph.tensors[read].name, found->second, read));
                sentFor.erase(found);
            }
        ops.add(std::move(op));
    }
    graph.ops = std::move(ops);
    return graph;
}

} // namespace tilescope::sim
