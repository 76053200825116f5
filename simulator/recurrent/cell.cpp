#include "simulator/recurrent/cell.h"

#include <utility>

#include "core/base/error.h"
#include "simulator/graph/shape_rules.h"

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
        row_ = argument("input",
                        {cell.batch, cell.preWeighted ? cell.gates() * cell.units : cell.inputs});
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
            states = {activated("activation", biased(product(0, row_, hidden_)), 0)};
            break;
        }
        body_.outputs = states;
        if (cell_.sequence)
            body_.outputs.push_back(states.front());
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

    TensorId gates(const std::string& part, TensorId all, std::int64_t first, std::int64_t count) {
        const Shape& shape = body_.tensors[all].shape;
        if (shape[1] == count * cell_.units)
            return all;
        return emit(part, SliceAttributes{{0, first * cell_.units}, {1, 1}}, {all},
                    {shape[0], count * cell_.units});
    }

    TensorId activated(const std::string& part, TensorId x, std::size_t which) {
        const auto& function = cell_.functions.at(which);
        return function ? elementwise(part, *function, {x}) : x;
    }

    TensorId weight(Use use) const {
        for (const auto& [weight, id] : weights_)
            if (weight.use == use)
                return id;
        throw InternalError("a recurrent cell lacks one of its weights");
    }
    TensorId biased(TensorId gates) {
        return cell_.bias ? elementwise("AddBias", Add, {gates, weight(Use::InputBias)}) : gates;
    }

    /// The n-th product of the loop: of what its weights take of input and state, with the input's
    /// part of all steps where that was made before.
    TensorId product(std::size_t number, TensorId input, TensorId hidden) {
        const auto& [weight, id] = weights_.at(number);
        const std::string part =
            number == 0 ? "ProcessUnits" : "ProcessUnits" + std::to_string(number);
        MatMulAttributes attributes;
        attributes.pass = cell_.pass;
        const bool joins = weight.ofInput && weight.ofHidden;
        const TensorId operand =
            joins ? emit(part + "/WeighOperand", ConcatAttributes{1}, {input, hidden})
                  : (weight.ofInput ? input : hidden);
        const TensorId made = emit(part + "/Weigh", attributes, {operand, id});
        if (!cell_.preWeighted)
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
            in = activated("InputGate", peeped("InputGate", gates("i", all, 0, 1), 0, state_), 0);
            forget =
                activated("ForgetGate", peeped("ForgetGate", gates("f", all, 2, 1), 2, state_), 0);
        } else {
            const TensorId three = activated("Gates", gates("iof", all, 0, 3), 0);
            in = gates("i", three, 0, 1);
            out = gates("o", three, 1, 1);
            forget = gates("f", three, 2, 1);
        }
        const TensorId candidate = activated("Candidate", gates("c", all, 3, 1), 1);
        const TensorId kept = times("ForgetGate/Mul", forget, state_);
        const TensorId made = times("InputGate/Mul", in, candidate);
        const TensorId cell = elementwise("AddCellCand", Add, {kept, made});
        if (cell_.peepholes)
            out = activated("OutputGate", peeped("OutputGate", gates("o", all, 1, 1), 1, cell), 0);
        return {times("OutputGate/Mul", activated("OutputTanh", cell, 2), out), cell};
    }

    /// hidden = made + update * (before - made).
    TensorId blended(TensorId update, TensorId made) {
        const TensorId change = elementwise("Change", Subtract, {hidden_, made});
        return elementwise("AddCandidate", Add, {made, times("Kept", update, change)});
    }

    TensorId gru() {
        TensorId both = product(0, row_, hidden_);
        TensorId bias;
        if (cell_.bias) {
            bias = weight(Use::InputBias);
            both = elementwise("AddBias", Add, {both, biasOf("bias/gates", bias, 0, 2)});
        }
        const TensorId gated = activated("Gates", both, 0);
        const TensorId reset = times("ResetGate/Mul", gates("r", gated, 1, 1), hidden_);
        TensorId candidate = product(1, row_, reset);
        if (cell_.bias)
            candidate =
                elementwise("Candidate/AddBias", Add, {candidate, biasOf("bias/c", bias, 2, 1)});
        return blended(gates("z", gated, 0, 1), activated("Candidate", candidate, 1));
    }

    TensorId biasOf(const std::string& part, TensorId bias, std::int64_t first,
                    std::int64_t count) {
        return emit(part, SliceAttributes{{first * cell_.units}, {1}}, {bias},
                    {count * cell_.units});
    }

    /// Input and state have a product each, which meet in the gates.
    TensorId gruResetAfter() {
        TensorId ofInput = row_;
        if (!cell_.preWeighted)
            ofInput = plainProduct("WeighInput", row_, 0);
        ofInput = biased(ofInput);
        TensorId ofHidden = plainProduct("WeighOutput", hidden_, cell_.preWeighted ? 0 : 1);
        if (cell_.bias)
            ofHidden = elementwise("AddRecurrentBias", Add, {ofHidden, weight(Use::HiddenBias)});
        const TensorId gated =
            activated("Gates",
                      elementwise("AddGates", Add,
                                  {gates("x/zr", ofInput, 0, 2), gates("h/zr", ofHidden, 0, 2)}),
                      0);
        const TensorId reset =
            times("ResetGate/Mul", gates("r", gated, 1, 1), gates("h/c", ofHidden, 2, 1));
        const TensorId candidate =
            activated("Candidate",
                      elementwise("Candidate/Add", Add, {gates("x/c", ofInput, 2, 1), reset}), 1);
        return blended(gates("z", gated, 0, 1), candidate);
    }

    TensorId plainProduct(const std::string& part, TensorId operand, std::size_t number) {
        MatMulAttributes attributes;
        attributes.pass = cell_.pass;
        return emit(part, attributes, {operand, weights_.at(number).second});
    }

    const RecurrentCell& cell_;
    Graph body_;
    TensorId hidden_, state_, row_;
    std::vector<std::pair<CellWeight, TensorId>> weights_; ///< that the loop reads
};

} // namespace

std::vector<CellWeight> weightsOf(const RecurrentCell& cell) {
    std::vector<CellWeight> made = productsOf(cell);
    const std::int64_t all = cell.gates();
    if (cell.bias) {
        made.push_back(
            {Use::InputBias, "biases", {all * cell.units}, true, !cell.resetAfter, 0, all});
        if (cell.kind == CellKind::Gru && cell.resetAfter)
            made.push_back(
                {Use::HiddenBias, "recurrentBiases", {all * cell.units}, false, true, 0, all});
    }
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
    loop.sequences = 1;
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
        }
        // Operands lack the states that begin as zeros.
        const auto first = static_cast<std::size_t>(loop->states + loop->sequences);
        for (std::size_t i = first; i < body.inputs.size(); ++i) {
            const Tensor& operand =
                graph.tensors[op.inputs.at(i - static_cast<std::size_t>(loop->zeroStates))];
            Tensor& inside = body.tensors[body.inputs[i]];
            inside.name = operand.name;
            inside.role =
                operand.role == TensorRole::Remote ? TensorRole::Activation : operand.role;
        }
    }
}

} // namespace tilescope::sim
