// ctc_loss and ctc_beam_search.
#include "simulator/operations/operation_graph.h"
#include "simulator/operations/operations.h"

namespace tilescope::sim {
namespace {

/// From logits the tools begin with their logarithms of probabilities (popnn::logSoftmax).
TensorId probabilitiesOf(OperationGraph& g, TensorId data, bool logits) {
    if (!logits)
        return data;
    const Shape shape = g.graph().tensors[data].shape;
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    return g.op("logSoftmax", "LogSoftmax", SoftmaxAttributes{last, last + 1, true}, {data}, shape);
}

TensorId addResult(OperationGraph& g, const std::string& name, Shape shape, DataType type) {
    Graph& graph = g.graph();
    const TensorId made = graph.tensors.add({name, std::move(shape), type});
    graph.ops.back().outputs.push_back(made);
    return made;
}

} // namespace

Graph graphOf(const CtcLossTool& tool, DataType type) {
    OperationGraph g("ctc_loss", type);
    const Shape shape{tool.time, tool.batchSize, tool.classes};
    const TensorId data = g.held("data", shape);
    const TensorId labels = g.held("labels", {tool.batchSize, tool.labelLength}, DataType::UInt32);
    const TensorId gradient = g.op("ctcLoss", "CtcLoss", CtcLossAttributes{},
                                   {probabilitiesOf(g, data, tool.logits), labels}, shape);
    g.graph().tensors[gradient].type = tool.outType;
    g.graph().tensors[data].allocatedFor = gradient;
    g.download(gradient);
    g.download(addResult(g, "ctcLoss/loss", {tool.batchSize}, tool.outType));
    return g.take();
}

Graph graphOf(const CtcBeamSearchTool& tool, DataType type) {
    OperationGraph g("ctc_beam_search", type);
    const TensorId data = g.held("data", {tool.time, tool.batchSize, tool.classes});
    const TensorId paths =
        g.op("beamSearch", "CtcBeamSearchDecoder",
             CtcBeamSearchAttributes{tool.beamWidth, tool.topPaths},
             {probabilitiesOf(g, data, tool.logits)}, {tool.batchSize, tool.topPaths, tool.time});
    g.graph().tensors[data].allocatedFor = paths;
    g.graph().tensors[paths].type = DataType::UInt32;
    g.download(paths);
    const Shape each{tool.batchSize, tool.topPaths};
    g.download(addResult(g, "beamSearch/probabilities", each, type));
    g.download(addResult(g, "beamSearch/lengths", each, DataType::UInt32));
    return g.take();
}

} // namespace tilescope::sim
