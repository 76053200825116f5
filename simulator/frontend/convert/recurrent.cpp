// LSTM, GRU and RNN, step by step: the products with the input are one for all steps, as popnn's
// lstm has them where there is room, and a step's gates are one product with the hidden state.
#include <fmt/format.h>

#include "simulator/frontend/convert/recurrent_activation.h"
#include "simulator/frontend/convert/rows.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Each step is some ten operations; beyond this a program without a loop is not what anybody
/// means.
constexpr std::int64_t mostRecurrentSteps = 4096;

/// One direction of a recurrent operator: X [steps, batch, inputs], W [gates * units, inputs],
/// R [gates * units, units].
class Recurrence {
public:
    Recurrence(NodeConverter& node, TensorId x, std::size_t direction, std::int64_t gates)
        : node_(node)
        , direction_(direction)
        , gates_(gates)
        , units_(node.rank(2) > 0 ? node.shape(2).back() : 0)
        , steps_(node.shapeOf(x)[0])
        , batch_(node.shapeOf(x)[1])
        , x_(x) {
        const Shape& weights = node.shape(1);
        if (weights.size() != 3 || node.shape(2).size() != 3 || weights[1] != gates * units_)
            NodeConverter::refuse(fmt::format("weights {} and {} do not have {} gates",
                                              toString(weights), toString(node.shape(2)), gates));
        functions_ = node.node().texts("activations");
        clip_ = node.node().real("clip", 0);
    }
    virtual ~Recurrence() = default;

    struct Results {
        TensorId sequence; ///< [steps, batch, units]
        TensorId hidden, cell;
    };

    Results run(bool backwards) {
        recurrent_ = ofDirection("R", 2, {gates_ * units_, units_});
        if (node_.has(3)) {
            const TensorId both = ofDirection("B", 3, {2 * gates_ * units_});
            const std::int64_t each = gates_ * units_;
            bias_ = rowsFrom(node_, name("B/input"), both, 0, 0, each);
            recurrentBias_ = rowsFrom(node_, name("B/recurrent"), both, 0, each, each);
        }
        readLengths();
        products();
        if (node_.has(5))
            hidden_ = ofDirection("initialH", 5, {batch_, units_});
        begin();
        std::vector<TensorId> rows(static_cast<std::size_t>(steps_));
        for (std::int64_t i = 0; i < steps_; ++i) {
            const std::int64_t row = backwards ? steps_ - 1 - i : i;
            step_ = name(fmt::format("step{}", i));
            const TensorId input = rowsFrom(node_, part("input"), product_, 0, row, 1);
            running_ = isRunning(row);
            const TensorId before = hidden_;
            const TensorId made =
                step(node_.reshape(part("row"), input, {batch_, gates_ * units_}));
            hidden_ = whileRunning("state", made, before);
            const TensorId shown = whileRunning("shown", made, {});
            rows[static_cast<std::size_t>(row)] =
                node_.reshape(part("hidden"), shown, {1, batch_, units_});
        }
        const TensorId sequence =
            rows.size() == 1 ? rows[0] : node_.emit(name("sequence"), ConcatAttributes{0}, rows);
        return {sequence, hidden_, cell()};
    }

protected:
    /// Reads what a step needs beside the hidden state.
    virtual void begin() {}
    /// The new hidden state from a step's row of the products with the input.
    virtual TensorId step(TensorId input) = 0;
    [[nodiscard]] virtual TensorId cell() const { return {}; }

    NodeConverter& node() { return node_; }
    [[nodiscard]] std::string part(const std::string& what) const { return step_ + "/" + what; }
    [[nodiscard]] std::string name(const std::string& what) const {
        return direction_ == 0 ? what : "reverse/" + what;
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

    TensorId gate(const std::string& what, TensorId gates, std::int64_t index) {
        return rowsFrom(node_, part(what), gates, 1, index * units_, units_);
    }

    /// The product of the hidden state with rows of the recurrent weights; none in a first step
    /// without an initial state.
    TensorId recurrent(const std::string& what, TensorId hidden, TensorId weights) {
        if (!hidden.valid())
            return {};
        return node_.emit(part(what), MatMulAttributes{false, true}, {hidden, weights});
    }

    TensorId sum(const std::string& what, TensorId a, TensorId b) {
        return a.valid() && b.valid() ? node_.elementwise(part(what), Add, {a, b})
                                      : (a.valid() ? a : b);
    }

    TensorId times(const std::string& what, TensorId a, TensorId b) {
        return node_.elementwise(part(what), Multiply, {a, b});
    }

    /// The new state of sequences that go on, the old one (or zeros) of those that have ended.
    TensorId whileRunning(const std::string& what, TensorId made, TensorId before) {
        if (!running_.valid())
            return made;
        if (!before.valid())
            before = node_.scalar(part(what + "/zero"), made, 0);
        return node_.elementwise(part(what), Select, {running_, made, before});
    }

    /// Activation number `index` of this direction, or ONNX's default.
    TensorId activated(const std::string& what, TensorId x, std::size_t index,
                       const char* otherwise, std::size_t each) {
        const std::size_t at = direction_ * each + index;
        const std::string function = at < functions_.size() ? functions_[at] : otherwise;
        if (clip_ > 0)
            x = node_.elementwise(part(what + "/clip"), Clip, {x}, -clip_, clip_);
        return recurrentActivation(node_, part(what), x, function, at);
    }

    /// The sum of both biases, of all gates or the first of them.
    TensorId biasSum(std::int64_t size) {
        const TensorId input = rowsFrom(node_, name("B/input/part"), bias_, 0, 0, size);
        const TensorId hidden = rowsFrom(node_, name("B/hidden/part"), recurrentBias_, 0, 0, size);
        return node_.elementwise(name("B/sum"), Add, {input, hidden});
    }
    /// What is added to the products with the input.
    virtual TensorId inputBias() { return biasSum(gates_ * units_); }

    [[nodiscard]] std::int64_t units() const { return units_; }
    [[nodiscard]] std::int64_t batch() const { return batch_; }
    [[nodiscard]] TensorId hidden() const { return hidden_; }
    [[nodiscard]] TensorId recurrentWeights() const { return recurrent_; }
    [[nodiscard]] TensorId bias() const { return bias_; }
    [[nodiscard]] TensorId recurrentBias() const { return recurrentBias_; }

private:
    /// Lengths of the sequences, where they differ from the number of steps. Only a graph that is
    /// computed looks at them.
    void readLengths() {
        constexpr std::size_t operand = 4;
        if (!node_.has(operand) || !node_.builder().keepsValues())
            return;
        if (const auto& known = node_.value(operand).data) {
            bool all = true;
            for (const std::int64_t length : known->ints)
                all = all && length == steps_;
            if (all)
                return;
        }
        lengths_ = node_.reshape(name("lengths"), node_.input(operand), {batch_, 1});
    }

    TensorId isRunning(std::int64_t row) {
        if (!lengths_.valid())
            return {};
        return node_.elementwise(
            part("running"), Greater,
            {lengths_, node_.scalar(part("row/number"), lengths_, static_cast<double>(row))});
    }

    void products() {
        const std::int64_t inputs = node_.shapeOf(x_).back();
        const TensorId weights = ofDirection("W", 1, {gates_ * units_, inputs});
        const TensorId rows = node_.reshape(name("rows"), x_, {steps_ * batch_, inputs});
        product_ = node_.emit(name("input"), MatMulAttributes{false, true}, {rows, weights});
        if (bias_.valid())
            product_ = node_.elementwise(name("bias"), Add, {product_, inputBias()});
        product_ = node_.reshape(name("products"), product_, {steps_, batch_, gates_ * units_});
    }

    NodeConverter& node_;
    std::size_t direction_;
    std::int64_t gates_, units_, steps_, batch_;
    TensorId x_, product_, recurrent_, bias_, recurrentBias_, hidden_;
    TensorId lengths_, running_; ///< invalid where all sequences run all steps
    std::vector<std::string> functions_;
    double clip_ = 0; ///< bound of what activations get; 0: none
    std::string step_;
};

/// Gates in ONNX's order: input, output, forget, cell.
class LstmRecurrence : public Recurrence {
public:
    using Recurrence::Recurrence;
    static constexpr std::int64_t gates = 4;

protected:
    void begin() override {
        if (node().has(6))
            cell_ = ofDirection("initialC", 6, {batch(), units()});
        if (node().node().integer("input_forget", 0) != 0)
            node().refuseToCompute("its input and forget gates are coupled");
        if (node().has(7))
            peephole_ = ofDirection("P", 7, {3 * units()});
    }

    TensorId step(TensorId input) override {
        const TensorId all =
            sum("add", input, recurrent("recurrent", hidden(), recurrentWeights()));
        const TensorId in = activated("i", peeped("i", gate("i/slice", all, 0), 0, cell_), 0,
                                      "Sigmoid", functionsEach);
        TensorId made =
            times("new", in, activated("c", gate("c/slice", all, 3), 1, "Tanh", functionsEach));
        if (cell_.valid()) {
            const TensorId forget = activated("f", peeped("f", gate("f/slice", all, 2), 2, cell_),
                                              0, "Sigmoid", functionsEach);
            made = sum("cell", times("kept", forget, cell_), made);
        }
        cell_ = whileRunning("cell/state", made, cell_);
        const TensorId out = activated("o", peeped("o", gate("o/slice", all, 1), 1, cell_), 0,
                                       "Sigmoid", functionsEach);
        return times("out", out, activated("shown", cell_, 2, "Tanh", functionsEach));
    }

    [[nodiscard]] TensorId cell() const override { return cell_; }

private:
    static constexpr std::size_t functionsEach = 3;

    TensorId peeped(const std::string& what, TensorId gate, std::int64_t which, TensorId cell) {
        if (!peephole_.valid() || !cell.valid())
            return gate;
        const TensorId weights =
            rowsFrom(node(), part(what + "/peephole"), peephole_, 0, which * units(), units());
        return sum(what + "/peep", gate, times(what + "/peeped", cell, weights));
    }

    TensorId cell_, peephole_;
};

/// Gates in ONNX's order: update, reset, hidden.
class GruRecurrence : public Recurrence {
public:
    using Recurrence::Recurrence;
    static constexpr std::int64_t gates = 3;

protected:
    /// The recurrent bias of the hidden gate is within what the reset acts on.
    TensorId inputBias() override {
        if (!isLinear())
            return Recurrence::inputBias();
        const std::int64_t both = 2 * units();
        hiddenBias_ =
            rowsFrom(node(), name("B/recurrent/hidden"), recurrentBias(), 0, both, units());
        const TensorId hidden = rowsFrom(node(), name("B/hidden"), bias(), 0, both, units());
        return node().emit(name("B/all"), ConcatAttributes{0}, {biasSum(both), hidden});
    }

    TensorId step(TensorId input) override {
        const bool linear = isLinear();
        const TensorId before = hidden();
        const std::int64_t both = 2 * units();
        // The reset acts on the state before its product, or on the product.
        const TensorId weights = recurrentWeights();
        const TensorId product =
            linear ? recurrent("recurrent", before, weights)
                   : recurrent("recurrent", before,
                               rowsFrom(node(), part("R/gates"), weights, 0, 0, both));
        const auto columns = [&](const char* what, TensorId from, std::int64_t first,
                                 std::int64_t count) {
            return from.valid() ? rowsFrom(node(), part(what), from, 1, first, count) : TensorId();
        };
        const TensorId all =
            sum("add", columns("x/gates", input, 0, both), columns("h/gates", product, 0, both));
        const TensorId update = activated("z", gate("z/slice", all, 0), 0, "Sigmoid", 2);
        const TensorId candidate = gate("h/slice", input, 2);
        const auto resetGate = [&] {
            return activated("r", gate("r/slice", all, 1), 0, "Sigmoid", 2);
        };
        if (!before.valid()) {
            const TensorId own =
                hiddenBias_.valid() ? times("reset", resetGate(), hiddenBias_) : TensorId();
            const TensorId made = activated("h", sum("hidden/add", candidate, own), 1, "Tanh", 2);
            return node().elementwise(part("out"), SubtractProduct, {made, update, made});
        }
        const TensorId reset = resetGate();
        TensorId fromState;
        if (linear) {
            const TensorId own = columns("h/hidden", product, both, units());
            fromState = times("reset", reset, sum("h/bias", own, hiddenBias_));
        } else {
            fromState = recurrent("recurrentHidden", times("reset", reset, before),
                                  rowsFrom(node(), part("R/hidden"), weights, 0, both, units()));
        }
        const TensorId made = activated("h", sum("hidden/add", candidate, fromState), 1, "Tanh", 2);
        const TensorId change = node().elementwise(part("change"), Subtract, {before, made});
        return sum("out", made, times("kept", update, change));
    }

private:
    [[nodiscard]] bool isLinear() { return node().node().integer("linear_before_reset", 0) != 0; }

    TensorId hiddenBias_; ///< of what the reset acts on; invalid: none
};

class RnnRecurrence : public Recurrence {
public:
    using Recurrence::Recurrence;
    static constexpr std::int64_t gates = 1;

protected:
    TensorId step(TensorId input) override {
        return activated("f",
                         sum("add", input, recurrent("recurrent", hidden(), recurrentWeights())), 0,
                         "Tanh", 1);
    }
};

void checkRecurrent(NodeConverter& node) {
    if (node.rank(0) != 3)
        NodeConverter::refuse(
            fmt::format("its input {} is not a sequence of batches", toString(node.shape(0))));
    const std::int64_t steps = node.shape(0)[node.node().integer("layout", 0) != 0 ? 1 : 0];
    if (steps > mostRecurrentSteps)
        NodeConverter::refuse(
            fmt::format("{} steps are more than the {} that are unrolled; shorten the sequence",
                        steps, mostRecurrentSteps));
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

template <class Kind> void convertRecurrent(NodeConverter& node) {
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
        const auto results = Kind(node, x, d, Kind::gates).run(d == 1 || direction == "reverse");
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
    table["LSTM"] = convertRecurrent<LstmRecurrence>;
    table["GRU"] = convertRecurrent<GruRecurrence>;
    table["RNN"] = convertRecurrent<RnnRecurrence>;
}

} // namespace tilescope::sim
