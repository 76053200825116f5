// LSTM, GRU and RNN as a loop over the steps for each direction.
#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/convert/recurrent_activation.h"
#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/onnx_types/own_attributes.h"
#include "simulator/recurrent/cell.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

struct OperatorOfCell {
    CellKind kind;
    std::vector<const char*> functions; ///< ONNX's defaults
};

/// One direction of a recurrent operator: X [steps, batch, inputs], W [directions, gates * units,
/// inputs], R [directions, gates * units, units].
class Recurrence {
public:
    Recurrence(NodeConverter& node, const OperatorOfCell& known, TensorId x, std::size_t direction)
        : node_(node)
        , direction_(direction)
        , x_(x)
        , steps_(node.shapeOf(x)[0]) {
        cell_.kind = known.kind;
        cell_.batch = node.shapeOf(x)[1];
        cell_.inputs = node.shapeOf(x)[2];
        cell_.units = node.rank(2) > 0 ? node.shape(2).back() : 0;
        cell_.type = node.builder().tensor(x).type;
        cell_.bias = node.has(3);
        cell_.resetAfter =
            known.kind == CellKind::Gru && node.node().integer("linear_before_reset", 0) != 0;
        cell_.clip = node.node().real("clip", 0);
        cell_.peepholes = known.kind == CellKind::Lstm && node.has(7);
        cell_.sequence = node.isOutputUsed(0);
        checkWeights();
        readLengths();
        if (node.node().integer("input_forget", 0) != 0)
            node.refuseToCompute("its input and forget gates are coupled");
        for (std::size_t i = 0; i < known.functions.size(); ++i)
            cell_.functions.push_back(function(known, i));
        cell_.name =
            node.builder().path(node.node().name + (direction == 0 ? "/step" : "/reverse/step"));
    }

    struct Results {
        TensorId sequence; ///< [steps, batch, units]; none if it is not read
        TensorId hidden, cell;
    };

    Results run(bool backwards) {
        Graph body = stepOf(cell_);
        std::vector<Shape> rows;
        for (auto i = static_cast<std::size_t>(cell_.states()); i < body.outputs.size(); ++i)
            rows.push_back(body.tensors[body.outputs[i]].shape);
        LoopAttributes loop =
            loopOf(cell_, node_.builder().addFunction(node_.node(), std::move(body)), steps_);
        loop.backwards = backwards;
        std::vector<TensorId> operands = initialStates(loop);
        operands.push_back(x_);
        if (cell_.masked)
            operands.push_back(running());
        for (const CellWeight& weight : weightsOf(cell_))
            operands.push_back(operandOf(weight));
        Results results;
        const Shape state{cell_.batch, cell_.units};
        results.hidden = node_.emit(name("loop"), loop, operands, state);
        if (cell_.kind == CellKind::Lstm)
            results.cell = node_.builder().addResult("cell", state);
        if (cell_.sequence)
            results.sequence =
                node_.builder().addResult("sequence", {steps_, cell_.batch, cell_.units});
        return results;
    }

private:
    void checkWeights() const {
        const Shape& weights = node_.shape(1);
        if (weights.size() != 3 || node_.shape(2).size() != 3 ||
            weights[1] != cell_.gates() * cell_.units)
            NodeConverter::refuse(fmt::format("weights {} and {} do not have {} gates",
                                              toString(weights), toString(node_.shape(2)),
                                              cell_.gates()));
        const Shape own{weights[0], weights[1], cell_.inputs};
        const Shape recurrent{weights[0], weights[1], cell_.units};
        const auto check = [&](std::size_t operand, const Shape& shape) {
            if (node_.has(operand) && node_.shape(operand) != shape)
                NodeConverter::refuse(fmt::format("operand {} has shape {} and should have {}",
                                                  operand, toString(node_.shape(operand)),
                                                  toString(shape)));
        };
        check(1, own);
        check(2, recurrent);
        check(3, {weights[0], 2 * weights[1]});
        if (cell_.kind == CellKind::Lstm)
            check(7, {weights[0], 3 * cell_.units});
    }

    [[nodiscard]] std::string name(const std::string& what) const {
        return direction_ == 0 ? what : "reverse/" + what;
    }

    /// Activation number `index` of this direction, or ONNX's default; none for the value itself.
    [[nodiscard]] std::optional<ElementwiseAttributes> function(const OperatorOfCell& known,
                                                                std::size_t index) const {
        const std::vector<std::string> given = node_.node().texts("activations");
        const std::size_t at = direction_ * known.functions.size() + index;
        return recurrentActivation(node_, at < given.size() ? given[at] : known.functions[index],
                                   at);
    }

    /// Lengths of the sequences, where they differ from the number of steps. Only used where the
    /// graph is computed.
    void readLengths() {
        if (!node_.has(lengths) || !node_.builder().keepsValues())
            return;
        const auto& known = node_.value(lengths).data;
        cell_.masked = !known || std::any_of(known->ints.begin(), known->ints.end(),
                                             [&](std::int64_t each) { return each != steps_; });
    }

    /// Which sequences are still running in each step, [steps, batch, 1].
    TensorId running() {
        const TensorId all =
            node_.reshape(name("lengths"), node_.input(lengths), {1, cell_.batch, 1});
        const TensorId steps =
            constantLike(node_, name("steps"), all, {steps_, 1, 1}, elementNumber);
        return node_.elementwise(name("running"), Greater, {all, steps});
    }

    /// The part of an operand that is this direction's.
    TensorId ofDirection(const std::string& what, std::size_t operand, const Shape& shape) {
        TensorId all = node_.input(operand);
        const bool isState = operand == 5 || operand == 6;
        if (isState && node_.node().integer("layout", 0) != 0)
            all = node_.emit(name(what + "/byDirection"), TransposeAttributes{{1, 0, 2}}, {all});
        const TensorId own =
            rowsFrom(node_, name(what), all, 0, static_cast<std::int64_t>(direction_), 1);
        return node_.reshape(name(what + "/own"), own, shape);
    }

    /// States that are not given begin as zeros.
    std::vector<TensorId> initialStates(LoopAttributes& loop) {
        std::vector<TensorId> given;
        const Shape shape{cell_.batch, cell_.units};
        const bool hasCell = cell_.kind == CellKind::Lstm && node_.has(6);
        if (node_.has(5))
            given.push_back(ofDirection("initialH", 5, shape));
        else if (hasCell)
            given.push_back(constantLike(node_, name("initialH/zeros"), x_, shape,
                                         [](std::int64_t) { return 0.0; }));
        if (hasCell)
            given.push_back(ofDirection("initialC", 6, shape));
        loop.zeroStates = loop.states - static_cast<std::int32_t>(given.size());
        return given;
    }

    [[nodiscard]] bool isOwn(std::size_t operand) const {
        const Value& value = node_.value(operand);
        return !node_.builder().keepsValues() && value.role == TensorRole::Weight &&
               value.uses == 1;
    }

    /// A cell's weight from the operands. Where these are weights that nothing else reads, the host
    /// sends them in the cell's layout, joined and transposed: the same number of elements. A graph
    /// that is computed joins them itself, so that they are trained and saved as in the file.
    TensorId operandOf(const CellWeight& weight) {
        switch (weight.use) {
        case CellWeight::Use::Product:
            return productOf(weight);
        case CellWeight::Use::InputBias:
        case CellWeight::Use::HiddenBias:
            return biasOf(weight);
        case CellWeight::Use::Peephole:
            return ofDirection("P", 7, weight.shape);
        }
        return {};
    }

    TensorId made(const CellWeight& weight, std::size_t operand) {
        const std::string name =
            node_.node().inputs[operand] + "/" + weight.name + (direction_ == 0 ? "" : "/reverse");
        return node_.builder().addTensor(name, weight.shape, cell_.type, TensorRole::Weight);
    }

    TensorId productOf(const CellWeight& weight) {
        if ((!weight.ofInput || isOwn(1)) && (!weight.ofHidden || isOwn(2)))
            return made(weight, weight.ofInput ? 1 : 2);
        std::vector<TensorId> parts;
        if (weight.ofInput)
            parts.push_back(columns("W", 1, cell_.inputs, weight));
        if (weight.ofHidden)
            parts.push_back(columns("R", 2, cell_.units, weight));
        return parts.size() == 1
                   ? parts.front()
                   : node_.emit(name(weight.name), ConcatAttributes{0}, std::move(parts));
    }

    TensorId columns(const std::string& what, std::size_t operand, std::int64_t size,
                     const CellWeight& weight) {
        const std::string part = what + "/" + weight.name;
        TensorId all = ofDirection(part, operand, {cell_.gates() * cell_.units, size});
        if (weight.gates != cell_.gates())
            all = rowsFrom(node_, name(part + "/gates"), all, 0, weight.firstGate * cell_.units,
                           weight.gates * cell_.units);
        return node_.emit(name(part + "/columns"), TransposeAttributes{{1, 0}}, {all});
    }

    /// ONNX has a bias for the input and one for the state, which a host adds up beforehand where
    /// both are added to the same sum.
    TensorId biasOf(const CellWeight& weight) {
        if (isOwn(3))
            return made(weight, 3);
        const std::int64_t all = cell_.gates() * cell_.units;
        const std::string what = "B/" + weight.name;
        const TensorId both = ofDirection(what, 3, {2 * all});
        const auto half = [&](const std::string& part, std::int64_t first) {
            return rowsFrom(node_, name(what + part), both, 0,
                            first + weight.firstGate * cell_.units, weight.gates * cell_.units);
        };
        if (weight.use == CellWeight::Use::HiddenBias)
            return half("/state", all);
        if (!weight.ofHidden || node_.node().integer(singleBiasAttribute, 0) != 0)
            return half("/input", 0);
        return node_.elementwise(name(what + "/sum"), Add,
                                 {half("/input", 0), half("/state", all)});
    }

    static constexpr std::size_t lengths = 4; ///< operand

    NodeConverter& node_;
    std::size_t direction_;
    TensorId x_;
    std::int64_t steps_;
    RecurrentCell cell_;
};

void checkRecurrent(NodeConverter& node) {
    if (node.rank(0) != 3)
        NodeConverter::refuse(
            fmt::format("its input {} is not a sequence of batches", toString(node.shape(0))));
    if (node.has(4) && !node.builder().keepsValues())
        node.builder().count(node.node().type, "read without its sequence_lens: each sequence "
                                               "runs all steps");
}

/// [1, ...] of each direction, joined.
TensorId directions(NodeConverter& node, const std::string& part, const std::vector<TensorId>& each,
                    std::int64_t axis) {
    std::vector<TensorId> parts;
    for (const TensorId one : each) {
        Shape shape = node.shapeOf(one);
        shape.insert(shape.begin() + axis, 1);
        parts.push_back(node.reshape(part + "/direction", one, shape));
    }
    return parts.size() == 1 ? parts[0] : node.emit(part, ConcatAttributes{axis}, parts);
}

void convertRecurrent(NodeConverter& node, const OperatorOfCell& known) {
    checkRecurrent(node);
    const bool batchFirst = node.node().integer("layout", 0) != 0;
    const std::string direction = node.node().text("direction", "forward");
    const bool both = direction == "bidirectional";
    if (node.shape(1).empty() || node.shape(1)[0] != (both ? 2 : 1))
        NodeConverter::refuse(fmt::format("weights {} are not those of direction '{}'",
                                          toString(node.shape(1)), direction));
    TensorId x = node.input(0);
    if (batchFirst)
        x = node.emit("steps", TransposeAttributes{{1, 0, 2}}, {x});
    std::vector<TensorId> sequences, hidden, cells;
    for (std::size_t d = 0; d < (both ? 2U : 1U); ++d) {
        const auto results = Recurrence(node, known, x, d).run(d == 1 || direction == "reverse");
        sequences.push_back(results.sequence);
        hidden.push_back(results.hidden);
        cells.push_back(results.cell);
    }
    const auto give = [&](std::size_t i, const std::string& part, const std::vector<TensorId>& each,
                          std::int64_t axis, const std::vector<std::int64_t>& byBatch) {
        if (!node.isOutputUsed(i))
            return;
        const TensorId y = directions(node, part, each, axis);
        node.result(
            batchFirst ? node.emit(part + "/byBatch", TransposeAttributes{byBatch}, {y}) : y, i);
    };
    give(0, "Y", sequences, 1, {2, 0, 1, 3});
    give(1, "Y_h", hidden, 0, {1, 0, 2});
    if (cells[0].valid())
        give(2, "Y_c", cells, 0, {1, 0, 2});
}

} // namespace

void addRecurrentConversions(ConversionTable& table) {
    const auto add = [&](const char* type, const OperatorOfCell& known) {
        table[type] = [known](NodeConverter& node) { convertRecurrent(node, known); };
    };
    add("LSTM", {CellKind::Lstm, {"Sigmoid", "Tanh", "Tanh"}});
    add("GRU", {CellKind::Gru, {"Sigmoid", "Tanh"}});
    add("RNN", {CellKind::Rnn, {"Tanh"}});
}

} // namespace tilescope::sim
