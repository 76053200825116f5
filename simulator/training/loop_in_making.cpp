#include "simulator/training/loop_in_making.h"

#include <algorithm>
#include <utility>

namespace tilescope::sim {

std::vector<bool> neededFor(const Graph& graph, std::size_t first,
                            const std::vector<TensorId>& results) {
    std::vector<bool> tensors(graph.tensors.size());
    for (const TensorId id : results)
        tensors[id.index()] = true;
    std::vector<bool> needed(graph.ops.size());
    for (std::size_t i = graph.ops.size(); i-- > first;) {
        const Op& op = graph.ops[OpId(i)];
        needed[i] = std::any_of(op.outputs.begin(), op.outputs.end(),
                                [&](TensorId out) { return tensors[out.index()]; });
        if (needed[i])
            for (const TensorId in : op.inputs)
                tensors[in.index()] = true;
    }
    return needed;
}

std::vector<OpId> makersOf(const Graph& graph) {
    std::vector<OpId> makers(graph.tensors.size());
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        for (const TensorId out : graph.ops[OpId(i)].outputs)
            makers[out.index()] = OpId(i);
    return makers;
}

TensorId viewedBy(const Graph& graph, const std::vector<OpId>& makers, TensorId id) {
    for (OpId maker = makers[id.index()]; maker.valid(); maker = makers[id.index()]) {
        const Op& op = graph.ops[maker];
        if (!isView(op.attributes) || op.inputs.size() != 1)
            break;
        id = op.inputs[0];
    }
    return id;
}

void keepStates(Graph& body, std::size_t states) {
    const auto end = body.inputs.begin() + static_cast<std::ptrdiff_t>(states);
    for (const Op& op : body.ops) {
        const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes);
        if (!elementwise || elementwise->function == ElementwiseFunction::Copy)
            continue;
        TensorId& like = body.tensors[op.outputs[0]].layoutOf;
        if (std::find(body.inputs.begin(), end, like) != end)
            like = {};
    }
}

std::vector<TensorId> emitLoop(GradientBuilder& builder, const std::string& name,
                               LoopAttributes loop, LoopInMaking made,
                               std::vector<TensorId> inputs) {
    inputs.insert(inputs.end(), made.saved.begin(), made.saved.end());
    loop.function = static_cast<std::int32_t>(builder.graph().functions.size());
    loop.sequences = static_cast<std::int32_t>(inputs.size()) - (loop.states - loop.zeroStates);
    inputs.insert(inputs.end(), made.constants.begin(), made.constants.end());
    const Graph& body = made.body;
    std::vector<TensorId> results{
        builder.emit(name, loop, std::move(inputs), body.tensors[body.outputs[0]].shape)};
    Graph& graph = builder.graph();
    Op& op = graph.ops.back();
    graph.tensors[results[0]].type = body.tensors[body.outputs[0]].type;
    for (std::size_t i = 1; i < body.outputs.size(); ++i) {
        Tensor t = body.tensors[body.outputs[i]];
        t.name = op.name + "/" + t.name;
        t.role = TensorRole::Activation;
        t.layoutOf = {};
        if (i >= static_cast<std::size_t>(loop.states))
            t.shape.insert(t.shape.begin(), loop.steps);
        results.push_back(graph.tensors.add(std::move(t)));
        op.outputs.push_back(results.back());
    }
    graph.functions.push_back(std::move(made.body));
    return results;
}

} // namespace tilescope::sim
