#include "simulator/recurrent/cell.h"

#include <memory>
#include <utility>

#include "core/base/error.h"
#include "simulator/graph/shape_rules.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;
using Use = CellWeight::Use;

CellWeight productOf(const RecurrentCell& cell, const char* name, bool ofInput, bool ofHidden,
                     std::int64_t firstGate, std::int64_t gates) {
    const std::int64_t rows = (ofInput ? cell.inputs : 0) + (ofHidden ? cell.units : 0);
    return {Use::Product, name, {rows, gates * cell.units}, ofInput, ofHidden, firstGate, gates};
}

std::vector<CellWeight> productsOf(const RecurrentCell& cell) {
    const std::int64_t all = cell.gates();
    std::vector<CellWeight> made;
    if (cell.preWeighted || (cell.kind == CellKind::Gru && cell.resetAfter))
        made.push_back(productOf(cell, "weightsInput", true, false, 0, all));
    if (cell.preWeighted)
        made.back().outside = true;
    const bool joint = made.empty();
    const char* state = joint ? "weights" : "weightsOutput";
    if (cell.kind != CellKind::Gru || cell.resetAfter) {
        made.push_back(productOf(cell, state, joint, true, 0, all));
    } else {
        made.push_back(productOf(cell, state, joint, true, 0, all - 1));
        made.push_back(
            productOf(cell, joint ? "weightsC" : "weightsOutputC", joint, true, all - 1, 1));
    }
    return made;
}

/// Builds the function of one step.
class Step {
public:
    explicit Step(const RecurrentCell& cell)
        : cell_(cell) {
        body_.name = cell.name;
        hidden_ = argument("hidden", {cell.batch, cell.units});
        if (cell.kind == CellKind::Lstm)
            state_ = argument("cell", {cell.batch, cell.units});
        row_ = cell.preWeighted ? argument("input", {cell.gates(), cell.batch, cell.units})
                                : argument("input", {cell.batch, cell.inputs});
        if (cell.masked) {
            running_ = argument("running", {cell.batch, 1});
            body_.tensors[running_].type = DataType::Bool;
        }
        for (const CellWeight& weight : weightsOf(cell))
            if (!weight.outside)
                weights_.emplace_back(weight, argument(weight.name, weight.shape));
    }

    Graph take() {
        std::vector<TensorId> states;
        switch (cell_.kind) {
        case CellKind::Lstm:
            states = lstm();
            break;
        case CellKind::Gru:
            states = {cell_.resetAfter ? gruResetAfter() : gru()};
            break;
        case CellKind::Rnn:
            states = {rnn()};
            break;
        }
        TensorId row = states.front();
        if (!cell_.masked) {
            overwrites(states.front(), hidden_);
            if (cell_.kind == CellKind::Lstm)
                overwrites(states.back(), state_);
        } else {
            row = whileRunning("Row", row, zero());
            states.front() = whileRunning("Hidden", states.front(), hidden_);
            if (cell_.kind == CellKind::Lstm)
                states.back() = whileRunning("Cell", states.back(), state_);
        }
        body_.outputs = states;
        if (cell_.sequence)
            body_.outputs.push_back(row);
        return std::move(body_);
    }

private:
    TensorId argument(const std::string& name, Shape shape) {
        const TensorId id = body_.tensors.add(
            {cell_.name + "/" + name, std::move(shape), cell_.type, TensorRole::Input});
        body_.inputs.push_back(id);
        return id;
    }

    TensorId emit(const std::string& part, Attributes attributes, std::vector<TensorId> inputs,
                  Shape shape = {}) {
        std::vector<Shape> shapes;
        for (const TensorId input : inputs)
            shapes.push_back(body_.tensors[input].shape);
        const std::string name = cell_.name + "/" + part;
        if (auto known = outputShape(attributes, shapes))
            shape = *std::move(known);
        const TensorId out = body_.tensors.add({name, std::move(shape), cell_.type});
        body_.ops.add({name, {}, {}, std::move(attributes), std::move(inputs), {out}});
        return out;
    }
    TensorId elementwise(const std::string& part, ElementwiseFunction function,
                         std::vector<TensorId> inputs) {
        return emit(part, ElementwiseAttributes{function}, std::move(inputs));
    }
    TensorId times(const std::string& part, TensorId a, TensorId b) {
        return elementwise(part, Multiply, {a, b});
    }

    /// Cells that keep nothing for their gradients have their new states where the old ones are
    /// (popnn basicLstmCellForwardPassInPlace, basicGruCellForwardPassInPlace).
    void overwrites(TensorId made, TensorId state) {
        if (std::holds_alternative<ElementwiseAttributes>(body_.ops.back().attributes))
            body_.tensors[made].layoutOf = state;
    }

    /// Gates [first, first + count) of [gates, batch, units].
    TensorId gates(const std::string& part, TensorId all, std::int64_t first, std::int64_t count) {
        const Shape shape = body_.tensors[all].shape;
        if (shape[0] == count)
            return all;
        return emit(part, SliceAttributes{{first, 0, 0}, {1, 1, 1}}, {all},
                    {count, shape[1], shape[2]});
    }
    /// One of them as [batch, units].
    TensorId gate(const std::string& part, TensorId all, std::int64_t which) {
        return emit(part + "/gate", ReshapeAttributes{}, {gates(part, all, which, 1)},
                    {cell_.batch, cell_.units});
    }

    /// A product [batch, gates * units] as gates laid out as the state, so that nothing moves
    /// between tiles from here on (popnn rearrangeUnitsOutputFwd).
    TensorId rearranged(const std::string& part, TensorId product) {
        const std::int64_t count = body_.tensors[product].shape[1] / cell_.units;
        const TensorId split = emit(part + "/units", ReshapeAttributes{}, {product},
                                    {cell_.batch, count, cell_.units});
        const TensorId turned = emit(part + "/byUnit", TransposeAttributes{{1, 0, 2}}, {split});
        const TensorId made = elementwise(part + "/Rearranged", Copy, {turned});
        body_.tensors[made].layoutOf = hidden_;
        return made;
    }

    TensorId activated(const std::string& part, TensorId x, std::size_t which) {
        if (cell_.clip > 0)
            x = emit(part + "/Clip",
                     ElementwiseAttributes{ElementwiseFunction::Clip, -cell_.clip, cell_.clip},
                     {x});
        const auto& function = cell_.functions.at(which);
        return function ? emit(part, *function, {x}) : x;
    }

    TensorId zero() {
        const TensorId id =
            body_.tensors.add({cell_.name + "/zero", {}, cell_.type, TensorRole::Constant});
        body_.tensors[id].value =
            std::make_shared<const TensorData>(TensorData::scalar(cell_.type, 0));
        return id;
    }
    TensorId whileRunning(const std::string& part, TensorId made, TensorId otherwise) {
        return elementwise("Running/" + part, Select, {running_, made, otherwise});
    }

    [[nodiscard]] TensorId weight(Use use, std::int64_t firstGate = 0) const {
        for (const auto& [weight, id] : weights_)
            if (weight.use == use && weight.firstGate == firstGate)
                return id;
        throw InternalError("a recurrent cell lacks one of its weights");
    }
    /// Gates from `first` on with their bias.
    TensorId biased(TensorId gates, std::int64_t first = 0, Use use = Use::InputBias) {
        if (!cell_.bias)
            return gates;
        const std::int64_t count = body_.tensors[gates].shape[0];
        const std::string part = use == Use::InputBias
                                     ? "AddBias" + (first > 0 ? std::to_string(first) : "")
                                     : "AddRecurrentBias";
        const TensorId shaped = emit(part + "/shaped", ReshapeAttributes{}, {weight(use, first)},
                                     {count, 1, cell_.units});
        return elementwise(part, Add, {gates, shaped});
    }

    /// The n-th product of the loop, of the input or state or both as its weights require, with the
    /// input's part where that was computed before for all steps. [gates, batch, units].
    TensorId product(std::size_t number, TensorId input, TensorId hidden) {
        const auto& [weight, id] = weights_.at(number);
        const std::string part =
            number == 0 ? "ProcessUnits" : "ProcessUnits" + std::to_string(number);
        MatMulAttributes attributes;
        attributes.pass = cell_.pass;
        TensorId operand = weight.ofInput ? input : hidden;
        if (weight.ofInput && weight.ofHidden)
            operand = emit(part + "/WeighOperand", ConcatAttributes{1}, {input, hidden});
        const TensorId made = rearranged(part, emit(part + "/Weigh", attributes, {operand, id}));
        if (!cell_.preWeighted || (cell_.kind == CellKind::Gru && cell_.resetAfter))
            return made;
        return elementwise(
            part + "/AddWeightedOutputs", Add,
            {made, gates(part + "/weighted", input, weight.firstGate, weight.gates)});
    }

    TensorId peeped(const std::string& part, TensorId gate, std::int64_t which, TensorId cell) {
        if (!cell_.peepholes)
            return gate;
        const TensorId own = emit(part + "/peephole", SliceAttributes{{which * cell_.units}, {1}},
                                  {weight(Use::Peephole)}, {cell_.units});
        return elementwise(part + "/peep", Add, {gate, times(part + "/peeped", cell, own)});
    }

    std::vector<TensorId> lstm() {
        const TensorId all = biased(product(0, row_, hidden_));
        TensorId in, out, forget;
        if (cell_.peepholes) {
            in = activated("InputGate", peeped("InputGate", gate("i", all, 0), 0, state_), 0);
            forget = activated("ForgetGate", peeped("ForgetGate", gate("f", all, 2), 2, state_), 0);
        } else {
            const TensorId three = activated("Gates", gates("iof", all, 0, 3), 0);
            in = gate("i", three, 0);
            out = gate("o", three, 1);
            forget = gate("f", three, 2);
        }
        const TensorId candidate = activated("Candidate", gate("c", all, 3), 1);
        const TensorId kept = times("ForgetGate/Mul", forget, state_);
        overwrites(kept, state_);
        const TensorId made = times("InputGate/Mul", candidate, in);
        const TensorId cell = elementwise("AddCellCand", Add, {kept, made});
        if (cell_.peepholes)
            out = activated("OutputGate", peeped("OutputGate", gate("o", all, 1), 1, cell), 0);
        return {times("OutputGate/Mul", activated("OutputTanh", cell, 2), out), cell};
    }

    /// hidden = made + update * (before - made).
    TensorId blended(TensorId update, TensorId made) {
        const TensorId change = elementwise("Change", Subtract, {hidden_, made});
        return elementwise("AddCandidate", Add, {made, times("Kept", update, change)});
    }

    TensorId gru() {
        const TensorId gated = activated("Gates", biased(product(0, row_, hidden_)), 0);
        const TensorId reset = times("ResetGate/Mul", gate("r", gated, 1), hidden_);
        const TensorId candidate = gate("h", biased(product(1, row_, reset), 2), 0);
        return blended(gate("z", gated, 0), activated("Candidate", candidate, 1));
    }

    /// Input and state have a product each, which meet in the gates.
    TensorId gruResetAfter() {
        const TensorId ofInput = biased(cell_.preWeighted ? row_ : product(0, row_, hidden_));
        const TensorId ofHidden =
            biased(product(cell_.preWeighted ? 0 : 1, row_, hidden_), 0, Use::HiddenBias);
        const TensorId gated =
            activated("Gates",
                      elementwise("AddGates", Add,
                                  {gates("x/zr", ofInput, 0, 2), gates("h/zr", ofHidden, 0, 2)}),
                      0);
        const TensorId reset =
            times("ResetGate/Mul", gate("r", gated, 1), gate("h/c", ofHidden, 2));
        const TensorId candidate = activated(
            "Candidate", elementwise("Candidate/Add", Add, {gate("x/c", ofInput, 2), reset}), 1);
        return blended(gate("z", gated, 0), candidate);
    }

    TensorId rnn() {
        return activated("Activation", gate("h", biased(product(0, row_, hidden_)), 0), 0);
    }

    const RecurrentCell& cell_;
    Graph body_;
    TensorId hidden_, state_, row_, running_;
    std::vector<std::pair<CellWeight, TensorId>> weights_; ///< that the loop reads
};

} // namespace

std::vector<CellWeight> weightsOf(const RecurrentCell& cell) {
    std::vector<CellWeight> made = productsOf(cell);
    const std::int64_t all = cell.gates();
    const auto addBias = [&](Use use, const char* name, std::int64_t first, std::int64_t gates) {
        made.push_back({use,
                        name,
                        {gates * cell.units},
                        use == Use::InputBias,
                        use == Use::HiddenBias || !cell.resetAfter,
                        first,
                        gates});
    };
    // One for each sum of products.
    const bool split = cell.kind == CellKind::Gru && !cell.resetAfter;
    if (cell.bias)
        addBias(Use::InputBias, "biases", 0, split ? all - 1 : all);
    if (cell.bias && split)
        addBias(Use::InputBias, "biasesC", all - 1, 1);
    if (cell.bias && cell.kind == CellKind::Gru && cell.resetAfter)
        addBias(Use::HiddenBias, "recurrentBiases", 0, all);
    if (cell.kind == CellKind::Lstm && cell.peepholes)
        made.push_back({Use::Peephole, "peepholes", {3 * cell.units}});
    return made;
}

Graph stepOf(const RecurrentCell& cell) {
    return Step(cell).take();
}

LoopAttributes loopOf(const RecurrentCell& cell, std::int32_t function, std::int64_t steps) {
    LoopAttributes loop;
    loop.function = function;
    loop.steps = steps;
    loop.states = cell.states();
    loop.sequences = cell.masked ? 2 : 1;
    return loop;
}

void describeLoopBodies(Graph& graph) {
    for (const Op& op : graph.ops) {
        const auto* loop = std::get_if<LoopAttributes>(&op.attributes);
        if (loop == nullptr)
            continue;
        Graph& body = graph.functions.at(static_cast<std::size_t>(loop->function));
        body.stageIpus = graph.stageIpus;
        for (Op& inside : body.ops) {
            inside.stage = op.stage;
            inside.pass = op.pass;
            inside.type = inside.type.empty() ? op.type : inside.type;
            inside.onnxNode = op.onnxNode;
            inside.source = op.source;
        }
        // Operands lack the states that begin as zeros.
        const auto first = static_cast<std::size_t>(loop->states + loop->sequences);
        for (std::size_t i = first; i < body.inputs.size(); ++i) {
            const Tensor& operand =
                graph.tensors[op.inputs.at(i - static_cast<std::size_t>(loop->zeroStates))];
            Tensor& inside = body.tensors[body.inputs[i]];
            inside.name = operand.name;
            // The body lays out tensors from streaming memory as if they came from the host;
            // results of operations are made outside of the body.
            const bool isMade =
                operand.role == TensorRole::Remote || operand.role == TensorRole::Activation;
            inside.role = isMade ? TensorRole::Input : operand.role;
        }
    }
}

} // namespace tilescope::sim
