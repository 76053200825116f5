// lstm_layer, gru_layer and rnn_layer.
#include "simulator/operations/operation_graph.h"
#include "simulator/operations/operations.h"
#include "simulator/training/autodiff.h"

namespace tilescope::sim {
namespace {

RecurrentCell cellOf(const RecurrentLayer& layer, DataType type, const std::string& name) {
    using enum ElementwiseFunction;
    RecurrentCell cell;
    cell.kind = layer.kind;
    cell.batch = layer.batchSize;
    cell.inputs = layer.inputSize;
    cell.units = layer.outputSize;
    cell.type = type;
    cell.preWeighted = layer.preWeightInput;
    cell.resetAfter = layer.kind == CellKind::Gru && layer.resetAfter;
    cell.sequence = layer.outputFullSequence;
    cell.pass = TrainingPass::InferenceForward;
    if (layer.kind == CellKind::Rnn)
        cell.functions = {ElementwiseAttributes{Tanh}};
    else
        cell.functions = {ElementwiseAttributes{Sigmoid}, ElementwiseAttributes{Tanh},
                          ElementwiseAttributes{Tanh}};
    cell.name = name;
    return cell;
}

class RecurrentTool {
public:
    RecurrentTool(const RecurrentLayer& layer, DataType type)
        : layer_(layer)
        , type_(type)
        , g_("recurrent_layer", type) {}

    Graph take() {
        input_ = g_.held("prevLayerAct", {layer_.sequenceSize, layer_.batchSize, layer_.inputSize});
        if (layer_.both) {
            const TensorId there = direction("fwd", false);
            const TensorId back = direction("reverse", true);
            Shape shape = g_.graph().tensors[there].shape;
            shape.back() *= 2;
            result_ = g_.op("output", "Concat",
                            ConcatAttributes{static_cast<std::int64_t>(shape.size()) - 1},
                            {there, back}, shape);
        } else {
            result_ = direction("fwd", layer_.backwards);
        }
        g_.download(result_);
        if (layer_.phases.backward || layer_.phases.update)
            backward();
        return g_.take();
    }

private:
    /// The states of all steps, or the last.
    TensorId direction(const std::string& name, bool backwards) {
        const RecurrentCell cell = cellOf(layer_, type_, name);
        const Shape state{layer_.batchSize, layer_.outputSize};
        std::vector<TensorId> operands;
        operands.push_back(g_.held(name + "/initialOutput", state));
        if (cell.kind == CellKind::Lstm)
            operands.push_back(g_.held(name + "/initialCellState", state));
        states_.insert(states_.end(), operands.begin(), operands.end());
        const std::vector<CellWeight> weights = weightsOf(cell);
        std::vector<TensorId> shared;
        TensorId rows = input_;
        for (const CellWeight& weight : weights) {
            const TensorId held = g_.held(name + "/" + weight.name, weight.shape);
            weights_.push_back(held);
            if (weight.outside)
                rows = weighted(name, held, weight.shape[1]);
            else
                shared.push_back(held);
        }
        operands.push_back(rows);
        operands.insert(operands.end(), shared.begin(), shared.end());
        Graph& graph = g_.graph();
        graph.functions.push_back(stepOf(cell));
        LoopAttributes loop = loopOf(cell, static_cast<std::int32_t>(graph.functions.size()) - 1,
                                     layer_.sequenceSize);
        loop.backwards = backwards;
        const TensorId last = g_.op(name + "/rnn", "Rnn", loop, std::move(operands), state);
        if (cell.kind == CellKind::Lstm)
            addResult(name + "/cellState", state);
        if (!layer_.outputFullSequence)
            return last;
        return addResult(name + "/outputs",
                         {layer_.sequenceSize, layer_.batchSize, layer_.outputSize});
    }

    TensorId addResult(const std::string& name, Shape shape) {
        Graph& graph = g_.graph();
        const TensorId made = graph.tensors.add({name, std::move(shape), type_});
        graph.ops.back().outputs.push_back(made);
        return made;
    }

    /// The products with the input of all steps at once (popnn calcSequenceWeightedInputs).
    TensorId weighted(const std::string& name, TensorId weights, std::int64_t columns) {
        const std::int64_t rows = layer_.sequenceSize * layer_.batchSize;
        const TensorId matrix = g_.op(name + "/rows", "Reshape", ReshapeAttributes{}, {input_},
                                      {rows, layer_.inputSize});
        MatMulAttributes product;
        product.pass = TrainingPass::InferenceForward;
        const TensorId made = g_.op(name + "/CalcWeightedInput", "MatMul", product,
                                    {matrix, weights}, {rows, columns});
        const std::int64_t gates = columns / layer_.outputSize;
        const TensorId split =
            g_.op(name + "/units", "Reshape", ReshapeAttributes{}, {made},
                  {layer_.sequenceSize, layer_.batchSize, gates, layer_.outputSize});
        return g_.op(name + "/weighted", "Transpose", TransposeAttributes{{0, 2, 1, 3}}, {split},
                     {layer_.sequenceSize, gates, layer_.batchSize, layer_.outputSize});
    }

    /// Only tensors whose gradient a phase requires are weights in the backward pass.
    void backward() {
        Graph& graph = g_.graph();
        std::vector<TensorId> others = states_;
        if (!layer_.phases.update)
            others.insert(others.end(), weights_.begin(), weights_.end());
        const bool needsInput = !layer_.ignoreInputGradient;
        if (!needsInput)
            others.push_back(input_);
        const auto setRole = [&](TensorRole role) {
            for (const TensorId id : others)
                graph.tensors[id].role = role;
        };
        const TensorId gradient = g_.held("nextLayerGrads", graph.tensors[result_].shape);
        setRole(TensorRole::Input);
        for (const WeightGradient& made : addGradients(graph, {result_, gradient}))
            for (const TensorId part : made.parts)
                g_.download(part);
        setRole(TensorRole::Weight);
    }

    const RecurrentLayer& layer_;
    DataType type_;
    OperationGraph g_;
    TensorId input_, result_;
    std::vector<TensorId> states_, weights_;
};

} // namespace

Graph graphOf(const RecurrentLayer& layer, DataType type) {
    return RecurrentTool(layer, type).take();
}

} // namespace tilescope::sim
