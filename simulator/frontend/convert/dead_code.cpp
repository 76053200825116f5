#include "simulator/frontend/convert/dead_code.h"

namespace tilescope::sim {

void removeDeadCode(Graph& graph) {
    std::vector<bool> needed(graph.tensors.size());
    for (const auto* ids : {&graph.inputs, &graph.outputs}) {
        for (const TensorId id : *ids)
            needed[id.index()] = true;
    }
    std::vector<bool> alive(graph.ops.size());
    for (std::size_t i = graph.ops.size(); i-- > 0;) {
        const Op& op = graph.ops[OpId(i)];
        for (const TensorId output : op.outputs)
            alive[i] = alive[i] || needed[output.index()];
        if (!alive[i])
            continue;
        for (const auto* ids : {&op.inputs, &op.outputs}) {
            for (const TensorId id : *ids)
                needed[id.index()] = true;
        }
    }

    std::vector<TensorId> renumbered(graph.tensors.size());
    IdVector<TensorId, Tensor> tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        if (needed[i])
            renumbered[i] = tensors.add(std::move(graph.tensors[TensorId(i)]));
    }
    const auto renumber = [&](std::vector<TensorId>& ids) {
        for (TensorId& id : ids)
            id = renumbered[id.index()];
    };
    IdVector<OpId, Op> ops;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        if (!alive[i])
            continue;
        Op& op = graph.ops[OpId(i)];
        renumber(op.inputs);
        renumber(op.outputs);
        ops.add(std::move(op));
    }
    renumber(graph.inputs);
    renumber(graph.outputs);
    graph.tensors = std::move(tensors);
    graph.ops = std::move(ops);
}

} // namespace tilescope::sim
