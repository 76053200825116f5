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

ModelPhase phaseOf(Pass phase) {
    switch (phase) {
    case Pass::Backward:
        return ModelPhase::Backward;
    case Pass::Update:
        return ModelPhase::Update;
    case Pass::Forward:
        break;
    }
    return ModelPhase::Forward;
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
            node.phase = phaseOf(op.pass);
            node.stage = op.stage;
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

void linkModelGraph(Profile& profile, const Graph& graph) {
    std::unordered_map<std::string_view, OperationId> byName;
    for (std::size_t i = 0; i < profile.operations.size(); ++i)
        byName.emplace(profile.operations[OperationId(i)].name, OperationId(i));
    profile.modelGraph = graph.model;
    std::vector<bool> used(profile.operations.size());
    for (ModelNode& node : profile.modelGraph.nodes) {
        const auto inFunction = graph.runsAs.find(node.name);
        const auto found =
            byName.find(inFunction == graph.runsAs.end() ? node.name : inFunction->second);
        if (found == byName.end())
            continue;
        node.operation = found->second;
        used[found->second.index()] = true;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        const Operation& operation = profile.operations[OperationId(i)];
        if (!used[i])
            profile.modelGraph.nodes.add(
                {operation.name, operation.type, OperationId(i), ModelPhase::Forward, 0, {}, {}});
    }
}

} // namespace tilescope::sim
