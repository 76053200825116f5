// LSTM, step by step: the products with the input are one for all steps, as popnn's lstm has them
// where there is room.
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
            product = e_.apply("Add", "bias", {product, e_.weight("bias", {gates * units_})});
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

} // namespace

void addKerasRecurrent(KerasConversions& table) {
    table["LSTM"] = convertLstm;
    table["CuDNNLSTM"] = convertLstm;
}

} // namespace tilescope::sim
