// LSTM, GRU and SimpleRNN as one ONNX operator each.
#include <map>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "simulator/frontend/keras/emitter.h"
#include "simulator/frontend/onnx_types/own_attributes.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

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
    /// `layer` is the recurrent layer itself, also where another wraps it.
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

    /// [batch, steps, directions, units], or [batch, directions, units] of the last step; then the
    /// final states, if requested.
    Tensors run(const KerasTensor& x) {
        if (x.shape.size() != 2)
            throw layer_.error(fmt::format(
                "its operand has the shape {} instead of steps and features", toString(x.shape)));
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
            e_.applyAll(operator_, "recurrence", operands, lstm_ ? 3 : 2, attributes());
        Tensors results;
        if (sequences())
            results.push_back({e_.apply("Transpose", "sequence", {made[0]},
                                        {{"perm", std::vector<std::int64_t>{2, 0, 1, 3}}}),
                               {x.shape[0], directions_, units_}});
        else
            results.push_back(state("last", made[1]));
        if (layer_.flag("return_state", false)) {
            results.push_back(state("hidden", made[1]));
            if (lstm_)
                results.push_back(state("cell", made[2]));
        }
        return results;
    }

    [[nodiscard]] bool sequences() const { return layer_.flag("return_sequences", false); }

private:
    /// ONNX has a bias for the input and one for the state, and an LSTM's forget gate third.
    std::string bias(std::int64_t gates) {
        const Shape shape{directions_, 2 * gates * units_};
        return lstm_ ? e_.forgetBias(shape, 2 * units_, units_) : e_.weight("bias", shape);
    }

    KerasTensor state(std::string_view part, const std::string& value) {
        return {
            e_.apply("Transpose", part, {value}, {{"perm", std::vector<std::int64_t>{1, 0, 2}}}),
            {directions_, units_}};
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
        const bool resetsAfter = gru_ && layer_.flag("reset_after", true);
        if (gru_)
            attributes.emplace_back("linear_before_reset", std::int64_t{resetsAfter ? 1 : 0});
        if (!resetsAfter)
            attributes.emplace_back(singleBiasAttribute, std::int64_t{1});
        return attributes;
    }

    KerasEmitter& e_;
    const LayerReader& layer_;
    std::int64_t directions_, units_;
    bool lstm_ = false, gru_ = false;
    std::string operator_;
};

/// Removes the dimension of a single direction.
KerasTensor withoutDirection(KerasEmitter& e, KerasTensor x, std::string_view part) {
    const auto axis = static_cast<std::int64_t>(x.shape.size()) - 1;
    x.shape.erase(x.shape.end() - 2);
    x.value =
        e.apply("Squeeze", part, {x.value, e.integers(std::string(part) + "direction", {axis})});
    return x;
}

/// The steps in the opposite order: Keras has the last one first.
KerasTensor lastFirst(KerasEmitter& e, KerasTensor x) {
    const std::string first = e.integers("last", {-1});
    x.value = e.apply(
        "Slice", "backwards",
        {x.value, first, e.integers("end", {-x.shape[0] - 1}), e.integers("steps", {1}), first});
    return x;
}

Tensors convertRecurrentLayer(KerasEmitter& e, const Tensors& inputs) {
    if (inputs.size() > 1)
        throw e.layer().error("an initial state is not supported; leave it out");
    RecurrentLayer layer(e, e.layer(), false);
    Tensors results = layer.run(e.asKeras(inputs[0]));
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = withoutDirection(e, results[i], i == 0 ? "" : fmt::format("state{}/", i));
    if (layer.sequences() && e.layer().flag("go_backwards", false))
        results[0] = lastFirst(e, results[0]);
    return results;
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
    if (reader.flag("return_state", false))
        throw reader.keyError("return_state", "must be false in both directions");
    KerasTensor x = RecurrentLayer(e, reader, true).run(e.asKeras(inputs[0])).front();
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
    for (const char* name :
         {"LSTM", "CuDNNLSTM", "PopnnLSTM", "GRU", "CuDNNGRU", "PopnnGRU", "SimpleRNN"})
        table[name] = convertRecurrentLayer;
    table["Bidirectional"] = convertBidirectional;
}

} // namespace tilescope::sim
