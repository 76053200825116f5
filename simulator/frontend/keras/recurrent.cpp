// LSTM, step by step: the products with the input are one for all steps, as popnn's lstm has them
// where there is room.
#include <map>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

/// Each step is some ten operations; beyond this a program without a loop is not what anybody
/// means.
constexpr std::int64_t mostSteps = 4096;

class Lstm {
public:
    Lstm(KerasEmitter& emitter, const KerasTensor& x)
        : e_(emitter)
        , layer_(emitter.layer()) {
        if (x.shape.size() != 2)
            throw layer_.error(fmt::format(
                "its operand has the shape {}, and not steps and features", toString(x.shape)));
        steps_ = x.shape[0];
        features_ = x.shape[1];
        units_ = layer_.integer("units");
        if (steps_ > mostSteps)
            throw layer_.error(
                fmt::format("{} steps are more than the {} that are unrolled; shorten the sequence",
                            steps_, mostSteps));
        if (units_ > largestKerasSize / gates)
            throw layer_.keyError("units", "is more than any model has");
        if (layer_.flag("stateful", false))
            throw layer_.keyError("stateful", "must be false: a run begins with empty states");
        inner_ = layer_.text("activation", "tanh");
        gate_ = layer_.text("recurrent_activation", "sigmoid");
    }

    Tensors run(const KerasTensor& x) {
        std::string product = e_.apply("MatMul", "input",
                                       {x.value, e_.weight("kernel", {features_, gates * units_})});
        if (layer_.flag("use_bias", true))
            product =
                e_.apply("Add", "bias", {product, e_.forgetBias({gates * units_}, units_, units_)});
        const bool backwards = layer_.flag("go_backwards", false);
        std::vector<std::string> hidden;
        for (std::int64_t i = 0; i < steps_; ++i)
            hidden.push_back(step(product, backwards ? steps_ - 1 - i : i, i));
        Tensors results{layer_.flag("return_sequences", false) ? sequence(hidden)
                                                               : state(hidden.back())};
        if (layer_.flag("return_state", false)) {
            results.push_back(state(hidden.back()));
            results.push_back(state(cell_));
        }
        return results;
    }

private:
    static constexpr int gates = 4; // Keras's order: input, forget, cell, output

    [[nodiscard]] KerasTensor state(const std::string& value) const { return {value, {units_}}; }

    std::string function(const std::string& value, const std::string& name,
                         const std::string& part) {
        return e_.activated({value, {units_}}, name, part).value;
    }

    /// The hidden state after step number `index`, which reads row `row` of the sequence.
    std::string step(const std::string& product, std::int64_t row, std::int64_t index) {
        const auto part = [&](std::string_view name) {
            return fmt::format("step{}/{}", index, name);
        };
        const std::string slice =
            e_.apply("Slice", part("slice"),
                     {product, e_.integers(part("from"), {row}), e_.integers(part("to"), {row + 1}),
                      e_.integers(part("axis"), {1})});
        std::string sum =
            e_.apply("Squeeze", part("row"), {slice, e_.integers(part("squeezed"), {1})});
        if (index > 0) {
            const std::string recurrent =
                e_.apply("MatMul", part("recurrent"),
                         {hidden_, e_.weight("recurrent_kernel", {units_, gates * units_})});
            sum = e_.apply("Add", part("add"), {sum, recurrent});
        }
        const std::vector<std::string> parts = e_.split(part("gates"), sum, 1, gates);
        const std::string input = function(parts[0], gate_, part("input"));
        const std::string candidate = function(parts[2], inner_, part("candidate"));
        std::string cell = e_.apply("Mul", part("new"), {input, candidate});
        // States begin as zeros: nothing to forget in the first step.
        if (index > 0) {
            const std::string forget = function(parts[1], gate_, part("forget"));
            cell = e_.apply("Add", part("cell"),
                            {e_.apply("Mul", part("kept"), {forget, cell_}), cell});
        }
        cell_ = cell;
        const std::string output = function(parts[3], gate_, part("output"));
        hidden_ = e_.apply("Mul", part("hidden"), {output, function(cell_, inner_, part("shown"))});
        return hidden_;
    }

    KerasTensor sequence(const std::vector<std::string>& hidden) {
        std::vector<std::string> rows;
        for (std::size_t i = 0; i < hidden.size(); ++i)
            rows.push_back(
                e_.apply("Unsqueeze", fmt::format("step{}/unsqueeze", i),
                         {hidden[i], e_.integers(fmt::format("step{}/unsqueezed", i), {1})}));
        return {e_.apply("Concat", "", rows, {{"axis", std::int64_t{1}}}), {steps_, units_}};
    }

    KerasEmitter& e_;
    const LayerReader& layer_;
    std::int64_t steps_ = 0, features_ = 0, units_ = 0;
    std::string inner_, gate_;
    std::string hidden_, cell_;
};

Tensors convertLstm(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() > 1)
        throw e.layer().error("an initial state is not supported; leave it out");
    const KerasTensor x = e.asKeras(inputs[0]);
    return Lstm(e, x).run(x);
}

/// ONNX's name of an activation.
std::string recurrentFunction(const LayerReader& layer, std::string_view key,
                              std::string_view otherwise) {
    static const std::map<std::string, std::string> names{
        {"tanh", "Tanh"},         {"sigmoid", "Sigmoid"},
        {"relu", "Relu"},         {"hard_sigmoid", "HardSigmoid"},
        {"softplus", "Softplus"}, {"linear", "Affine"}};
    const auto found = names.find(layer.text(key, otherwise));
    if (found == names.end())
        throw layer.keyError(key, "must be tanh, sigmoid, relu, hard_sigmoid, softplus or linear");
    return found->second;
}

/// A recurrent layer of any kind as one ONNX operator, in one direction or both.
class RecurrentLayer {
public:
    /// `layer` is the recurrent layer itself, where another wraps it.
    RecurrentLayer(KerasEmitter& emitter, const LayerReader& layer, bool both)
        : e_(emitter)
        , layer_(layer)
        , directions_(both ? 2 : 1)
        , units_(layer.integer("units")) {
        const std::string& type = layer.layer().type;
        lstm_ = type == "LSTM" || type == "CuDNNLSTM" || type == "PopnnLSTM";
        gru_ = type == "GRU" || type == "CuDNNGRU" || type == "PopnnGRU";
        operator_ = lstm_ ? "LSTM" : gru_ ? "GRU" : "RNN";
        if (units_ > largestKerasSize / 4)
            throw layer.keyError("units", "is more than any model has");
        if (layer.flag("stateful", false))
            throw layer.keyError("stateful", "must be false: a run begins with empty states");
        if (layer.flag("time_major", false))
            throw layer.keyError("time_major", "must be false");
    }

    /// [batch, steps, directions, units], or [batch, directions, units] of the last step.
    KerasTensor run(const KerasTensor& x) {
        if (x.shape.size() != 2)
            throw layer_.error(fmt::format(
                "its operand has the shape {}, and not steps and features", toString(x.shape)));
        const std::int64_t gates = lstm_ ? 4 : gru_ ? 3 : 1;
        const std::string steps = e_.apply("Transpose", "steps", {x.value},
                                           {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
        std::vector<std::string> operands{
            steps,
            e_.weight("kernel", {directions_, gates * units_, x.shape[1]},
                      gates * units_ + x.shape[1]),
            e_.weight("recurrent_kernel", {directions_, gates * units_, units_},
                      (gates + 1) * units_)};
        if (layer_.flag("use_bias", true))
            operands.push_back(bias(gates));
        const std::vector<std::string> made =
            e_.applyAll(operator_, "recurrence", operands, 2, attributes());
        if (sequences())
            return {e_.apply("Transpose", "sequence", {made[0]},
                             {{"perm", std::vector<std::int64_t>{2, 0, 1, 3}}}),
                    {x.shape[0], directions_, units_}};
        return {e_.apply("Transpose", "last", {made[1]},
                         {{"perm", std::vector<std::int64_t>{1, 0, 2}}}),
                {directions_, units_}};
    }

    [[nodiscard]] bool sequences() const { return layer_.flag("return_sequences", false); }

private:
    /// Of the input and of the state; ONNX has an LSTM's forget gate as the third.
    std::string bias(std::int64_t gates) {
        const Shape shape{directions_, 2 * gates * units_};
        return lstm_ ? e_.forgetBias(shape, 2 * units_, units_) : e_.weight("bias", shape);
    }

    [[nodiscard]] ZooAttributes attributes() const {
        const std::string inner = recurrentFunction(layer_, "activation", "tanh");
        const std::string gate =
            lstm_ || gru_ ? recurrentFunction(layer_, "recurrent_activation", "sigmoid") : "";
        std::vector<std::string> functions;
        for (std::int64_t d = 0; d < directions_; ++d) {
            if (!gate.empty())
                functions.push_back(gate);
            functions.push_back(inner);
            if (lstm_)
                functions.push_back(inner);
        }
        const bool backwards = layer_.flag("go_backwards", false);
        ZooAttributes attributes{{"hidden_size", units_},
                                 {"activations", functions},
                                 {"direction", std::string(directions_ == 2 ? "bidirectional"
                                                           : backwards      ? "reverse"
                                                                            : "forward")}};
        if (gru_)
            attributes.emplace_back("linear_before_reset",
                                    std::int64_t{layer_.flag("reset_after", true) ? 1 : 0});
        return attributes;
    }

    KerasEmitter& e_;
    const LayerReader& layer_;
    std::int64_t directions_, units_;
    bool lstm_ = false, gru_ = false;
    std::string operator_;
};

/// Takes a dimension of one direction away.
KerasTensor withoutDirection(KerasEmitter& e, KerasTensor x) {
    const auto axis = static_cast<std::int64_t>(x.shape.size()) - 1;
    x.shape.erase(x.shape.end() - 2);
    x.value = e.apply("Squeeze", "", {x.value, e.integers("direction", {axis})});
    return x;
}

Tensors convertRecurrentLayer(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() > 1)
        throw e.layer().error("an initial state is not supported; leave it out");
    if (e.layer().flag("return_state", false))
        throw e.layer().keyError("return_state", "must be false");
    return {withoutDirection(e, RecurrentLayer(e, e.layer(), false).run(e.asKeras(inputs[0])))};
}

/// The layer within a Bidirectional, with its own config.
KerasLayer wrappedLayer(const LayerReader& outer) {
    const boost::json::value* value = outer.layer().config.if_contains("layer");
    const boost::json::object* object = value == nullptr ? nullptr : value->if_object();
    const boost::json::value* type =
        object == nullptr ? nullptr : object->if_contains("class_name");
    const boost::json::value* config = object == nullptr ? nullptr : object->if_contains("config");
    if (type == nullptr || !type->is_string() || config == nullptr || !config->is_object())
        throw outer.keyError("layer", "must have a class_name and a config");
    KerasLayer inner;
    inner.name = outer.layer().name;
    inner.type = std::string(type->get_string());
    inner.config = config->get_object();
    if (!inner.type.ends_with("LSTM") && !inner.type.ends_with("GRU") && inner.type != "SimpleRNN")
        throw outer.keyError("layer", fmt::format("is a {}: only LSTM, GRU and SimpleRNN run in "
                                                  "both directions",
                                                  inner.type));
    return inner;
}

Tensors convertBidirectional(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() > 1)
        throw e.layer().error("an initial state is not supported; leave it out");
    const KerasLayer layer = wrappedLayer(e.layer());
    const LayerReader reader(e.layer().origin(), layer);
    KerasTensor x = RecurrentLayer(e, reader, true).run(e.asKeras(inputs[0]));
    const std::string merge = e.layer().text("merge_mode", "concat");
    static const std::map<std::string, std::string> reductions{
        {"sum", "ReduceSum"}, {"mul", "ReduceProd"}, {"ave", "ReduceMean"}};
    const auto axis = static_cast<std::int64_t>(x.shape.size()) - 1;
    if (merge == "concat") {
        Shape joined(x.shape.begin(), x.shape.end() - 2);
        joined.push_back(2 * x.shape.back());
        x.shape = joined;
        joined.insert(joined.begin(), 0); // ONNX: the size as it is, the batch
        x.value = e.apply("Reshape", "", {x.value, e.integers("shape", joined)});
        return {x};
    }
    const auto found = reductions.find(merge);
    if (found == reductions.end())
        throw e.layer().keyError("merge_mode", "must be concat, sum, mul or ave");
    x.shape.erase(x.shape.end() - 2);
    if (merge == "sum")
        x.value = e.apply("ReduceSum", "", {x.value, e.integers("directions", {axis})},
                          {{"keepdims", std::int64_t{0}}});
    else
        x.value =
            e.apply(found->second, "", {x.value},
                    {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{0}}});
    return {x};
}

} // namespace

void addKerasRecurrent(KerasConversions& table) {
    for (const char* name : {"GRU", "CuDNNGRU", "PopnnGRU", "SimpleRNN"})
        table[name] = convertRecurrentLayer;
    table["PopnnLSTM"] = convertLstm;
    table["Bidirectional"] = convertBidirectional;
    table["LSTM"] = convertLstm;
    table["CuDNNLSTM"] = convertLstm;
}

} // namespace tilescope::sim
