#include "simulator/graph/model_record.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tilescope::sim {
namespace {

TensorSource sourceOf(TensorRole role) {
    switch (role) {
    case TensorRole::Input:
        return TensorSource::Input;
    case TensorRole::Weight:
        return TensorSource::Weight;
    case TensorRole::Constant:
        return TensorSource::Constant;
    case TensorRole::Remote:
        return TensorSource::Remote;
    case TensorRole::Activation:
        break;
    }
    return TensorSource::Operation;
}

class Recorder {
public:
    explicit Recorder(const Graph& graph)
        : graph_(graph)
        , known_(graph.tensors.size()) {}

    ModelGraph run() {
        for (const Op& op : graph_.ops) {
            ModelNode node;
            node.name = op.name;
            node.type = op.type;
            node.phase = op.pass;
            node.stage = op.stage;
            if (op.source.frame.valid())
                node.source = op.source;
            node.reads = tensors(op.inputs);
            node.writes = tensors(op.outputs);
            made_.nodes.add(std::move(node));
        }
        for (const TensorId id : graph_.outputs)
            if (known_[id.index()].valid())
                made_.tensors[known_[id.index()]].isOutput = true;
        return std::move(made_);
    }

private:
    std::vector<ModelTensorId> tensors(const std::vector<TensorId>& ids) {
        std::vector<ModelTensorId> list;
        for (const TensorId id : ids) {
            ModelTensorId& known = known_[id.index()];
            if (!known.valid()) {
                const Tensor& t = graph_.tensors[id];
                known = made_.tensors.add({t.name, std::string(toString(t.type)), toString(t.shape),
                                           t.bytes(), sourceOf(t.role), false});
            }
            list.push_back(known);
        }
        return list;
    }

    const Graph& graph_;
    std::vector<ModelTensorId> known_; ///< by tensor of the graph
    ModelGraph made_;
};

} // namespace

ModelGraph recordedModel(const Graph& graph) {
    return Recorder(graph).run();
}

namespace {

/// Stages and passes of Call operations, which are not part of the model before outlining.
void describeCalls(const Graph& graph, std::unordered_map<std::string_view, ModelNode>& calls) {
    for (const Op& op : graph.ops)
        if (std::holds_alternative<CallAttributes>(op.attributes)) {
            ModelNode& node = calls[op.name];
            node.phase = op.pass;
            node.stage = op.stage;
        }
    for (const Graph& function : graph.functions)
        describeCalls(function, calls);
}

/// The innermost line that two have in common; none if there is none.
SourceFrameId commonFrame(const SourceCode& source, SourceFrameId a, SourceFrameId b) {
    // Callers come before those that they call.
    while (a != b) {
        SourceFrameId& inner = a < b ? b : a;
        if (!inner.valid())
            return {};
        inner = source.frames[inner].parent;
    }
    return a;
}

/// The line that all operations in a call of a function have in common, by the call.
std::unordered_map<OperationId, SourceFrameId> linesOfCalls(const Profile& profile) {
    std::unordered_map<OperationId, SourceFrameId> lines;
    for (const ModelNode& node : profile.modelGraph.nodes)
        for (const OperationId call : node.calls) {
            const auto [line, isNew] = lines.try_emplace(call, node.source.frame);
            if (!isNew)
                line->second = commonFrame(profile.source, line->second, node.source.frame);
        }
    return lines;
}

} // namespace

void linkModelGraph(Profile& profile, const Graph& graph) {
    std::unordered_map<std::string_view, OperationId> byName;
    for (std::size_t i = 0; i < profile.operations.size(); ++i)
        byName.emplace(profile.operations[OperationId(i)].name, OperationId(i));
    const auto operationOf = [&](const std::string& name) {
        const auto found = byName.find(name);
        return found == byName.end() ? OperationId() : found->second;
    };
    profile.modelGraph = graph.model;
    profile.source = graph.source;
    std::vector<bool> used(profile.operations.size());
    for (ModelNode& node : profile.modelGraph.nodes) {
        const auto inFunction = graph.functionPlaces.find(node.name);
        const bool called = inFunction != graph.functionPlaces.end();
        node.operation = operationOf(called ? inFunction->second.operation : node.name);
        if (!node.operation.valid())
            continue;
        used[node.operation.index()] = true;
        if (called)
            for (const std::string& call : inFunction->second.calls)
                if (const OperationId id = operationOf(call); id.valid())
                    node.calls.push_back(id);
    }
    const std::unordered_map<OperationId, SourceFrameId> lines = linesOfCalls(profile);
    std::unordered_map<std::string_view, ModelNode> calls;
    describeCalls(graph, calls);
    for (std::size_t i = 0; i < used.size(); ++i) {
        const Operation& operation = profile.operations[OperationId(i)];
        if (used[i])
            continue;
        ModelNode node;
        if (const auto call = calls.find(operation.name); call != calls.end())
            node = call->second;
        node.name = operation.name;
        node.type = operation.type;
        node.operation = OperationId(i);
        if (const auto line = lines.find(node.operation); line != lines.end())
            node.source = {line->second, SourceLink::Moved};
        profile.modelGraph.nodes.add(std::move(node));
    }
}

void renewSources(Profile& profile, const Graph& graph) {
    profile.source = graph.source;
    auto& nodes = profile.modelGraph.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ModelNodeId id(i);
        const bool isSame =
            i < graph.model.nodes.size() && graph.model.nodes[id].name == nodes[id].name;
        nodes[id].source = isSame ? graph.model.nodes[id].source : SourcePlace();
    }
    const std::unordered_map<OperationId, SourceFrameId> lines = linesOfCalls(profile);
    for (std::size_t i = graph.model.nodes.size(); i < nodes.size(); ++i)
        if (const auto line = lines.find(nodes[ModelNodeId(i)].operation); line != lines.end())
            nodes[ModelNodeId(i)].source = {line->second, SourceLink::Moved};
}

} // namespace tilescope::sim
