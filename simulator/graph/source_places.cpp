#include "simulator/graph/source_places.h"

namespace tilescope::sim {

namespace {

/// Without accumulation of gradients updates run in the backward pass.
bool isUpdate(const Op& op) {
    return op.pass == Pass::Update || op.source.link == SourceLink::Update;
}

/// Gives what has no line that of the first operation which reads its result.
void takeLinesOfReaders(Graph& graph, SourceLink link) {
    std::vector<SourceFrameId> reader(graph.tensors.size());
    for (std::size_t i = graph.ops.size(); i-- > 0;) {
        Op& op = graph.ops[OpId(i)];
        for (const TensorId output : op.outputs)
            if (!op.source.frame.valid())
                op.source = {reader[output.index()], link};
        if (op.source.frame.valid())
            for (const TensorId input : op.inputs)
                reader[input.index()] = op.source.frame;
    }
}

} // namespace

void inferSources(Graph& graph) {
    if (!graph.source.frames.empty())
        takeLinesOfReaders(graph, SourceLink::Inferred);
}

void followSources(Graph& graph) {
    if (graph.source.frames.empty())
        return;
    std::vector<SourceFrameId> maker(graph.tensors.size());
    for (Op& op : graph.ops) {
        for (const TensorId input : op.inputs)
            if (!op.source.frame.valid())
                op.source = {maker[input.index()],
                             isUpdate(op) ? SourceLink::Update : SourceLink::Moved};
        for (const TensorId output : op.outputs)
            maker[output.index()] = op.source.frame;
    }
    takeLinesOfReaders(graph, SourceLink::Moved);
}

} // namespace tilescope::sim
