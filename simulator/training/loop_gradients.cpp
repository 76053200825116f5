// Gradients of loops: the loop's body is differentiated as a graph of its own.
#include <algorithm>
#include <map>

#include "simulator/training/gradient_builder.h"

namespace tilescope::sim {
namespace {

/// The sum over the steps of the gradient of a tensor that every step reads.
struct StepSum {
    TensorId input, output; ///< in the body's gradient
    Shape reduced;          ///< of the sum without the batch, which it may still have
    Shape summed;           ///< of the tensor whose gradient it is
    std::size_t operand = 0;
};

class LoopGradient {
public:
    LoopGradient(GradientBuilder& outer, LoopAttributes loop)
        : outer_(outer)
        , loop_(loop)
        , forward_(outer.forward())
        , work_(outer.graph().functions[static_cast<std::size_t>(loop.function)])
        , inner_(work_)
        , count_(work_.ops.size()) {}

    void run() {
        inner_.setJoinsParts(true);
        inner_.setWanted(wantedInside());
        seed();
        for (std::size_t i = count_; i-- > 0;)
            backpropagate(inner_, Op(work_.ops[OpId(i)]));
        takeGradients();
        extract();
        emitLoop();
    }

private:
    [[nodiscard]] std::size_t states() const { return static_cast<std::size_t>(loop_.states); }
    [[nodiscard]] std::size_t sequences() const {
        return static_cast<std::size_t>(loop_.sequences);
    }
    /// The loop's operand for an input of its body; none for a state that begins as zeros.
    [[nodiscard]] TensorId operandOf(std::size_t input) const {
        const auto zeros = static_cast<std::size_t>(loop_.zeroStates);
        if (input < states())
            return input < states() - zeros ? forward_.inputs[input] : TensorId();
        return forward_.inputs[input - zeros];
    }

    /// A new state that depends on a wanted tensor makes the previous state wanted, too.
    std::vector<bool> wantedInside() const {
        std::vector<bool> wanted(work_.tensors.size());
        for (std::size_t i = 0; i < work_.inputs.size(); ++i) {
            const TensorId operand = operandOf(i);
            wanted[work_.inputs[i].index()] = operand.valid() && outer_.wanted(operand);
        }
        for (bool changes = true; changes;) {
            for (const Op& op : work_.ops)
                for (const TensorId out : op.outputs)
                    wanted[out.index()] =
                        isFloating(work_.tensors[out].type) &&
                        std::any_of(op.inputs.begin(), op.inputs.end(),
                                    [&](TensorId in) { return wanted[in.index()]; });
            changes = false;
            for (std::size_t s = 0; s < states(); ++s)
                if (wanted[work_.outputs[s].index()] && !wanted[work_.inputs[s].index()]) {
                    wanted[work_.inputs[s].index()] = true;
                    changes = true;
                }
        }
        return wanted;
    }

    TensorId argument(const std::string& name, Shape shape, DataType type) {
        return work_.tensors.add({name, std::move(shape), type, TensorRole::Input});
    }

    /// The gradients of a step's results come from the next step and from outside.
    void seed() {
        for (std::size_t s = 0; s < states(); ++s) {
            const Tensor t = work_.tensors[work_.outputs[s]];
            stateSeeds_.push_back(argument(t.name + "/grad", t.shape, t.type));
            inner_.contribute(work_.outputs[s], stateSeeds_.back());
        }
        for (std::size_t r = states(); r < work_.outputs.size(); ++r) {
            const TensorId gradient = outer_.gradientOf(forward_.outputs[r]);
            if (!gradient.valid())
                continue;
            const Tensor t = work_.tensors[work_.outputs[r]];
            rowSeeds_.push_back(argument(t.name + "/rowGrad", t.shape, t.type));
            rowGradients_.push_back(gradient);
            inner_.contribute(work_.outputs[r], rowSeeds_.back());
        }
    }

    /// Adds the operations that end a step: sums over the steps, and zeros where a state has no
    /// gradient.
    void takeGradients() {
        for (std::size_t s = 0; s < states(); ++s) {
            TensorId gradient = inner_.gradientOf(work_.inputs[s]);
            if (!gradient.valid())
                gradient = zerosLike(work_.inputs[s]);
            newSeeds_.push_back(gradient);
        }
        for (std::size_t i = states(); i < work_.inputs.size(); ++i) {
            const TensorId gradient = inner_.gradientOf(work_.inputs[i]);
            if (!gradient.valid())
                continue;
            if (i < states() + sequences())
                rows_.emplace_back(operandOf(i), gradient);
            else
                sums_.push_back(sumOf(i, gradient));
        }
    }

    TensorId zerosLike(TensorId id) {
        const Tensor like = work_.tensors[id];
        const TensorId zeros = work_.tensors.add({like.name + "/zeroGrad", like.shape, like.type});
        Op op;
        op.name = work_.tensors[zeros].name;
        op.attributes = FillAttributes{};
        op.outputs = {zeros};
        op.pass = Pass::Backward;
        work_.ops.add(std::move(op));
        return zeros;
    }

    /// The sum over the batch that a gradient ends with, which is computed once after the loop
    /// (popnn basicLstmParamUpdate: "we defer the reduction across the batch to later"). None if it
    /// does not end with one.
    [[nodiscard]] const Op* reductionOf(TensorId gradient) const {
        for (std::size_t i = work_.ops.size(); i-- > count_;) {
            const Op& op = work_.ops[OpId(i)];
            if (op.outputs[0] != gradient)
                continue;
            const auto* reduce = std::get_if<ReduceAttributes>(&op.attributes);
            if (reduce != nullptr && reduce->function == ReduceFunction::Add && reduce->keepDims)
                return &op;
            if (!std::holds_alternative<ReshapeAttributes>(op.attributes))
                return nullptr;
            gradient = op.inputs[0];
        }
        return nullptr;
    }

    StepSum sumOf(std::size_t input, TensorId gradient) {
        const TensorId own = work_.inputs[input];
        const Op* reduction = reductionOf(gradient);
        const TensorId value = reduction != nullptr ? reduction->inputs[0] : gradient;
        StepSum made;
        made.reduced = work_.tensors[reduction != nullptr ? reduction->outputs[0] : value].shape;
        Tensor sum = work_.tensors[value];
        sum.name = work_.tensors[own].name + "/gradSum";
        sum.role = TensorRole::Input;
        if (reduction == nullptr)
            sum.layoutOf = own;
        made.summed = work_.tensors[own].shape;
        made.operand = input;
        made.input = work_.tensors.add(sum);
        sum.role = TensorRole::Activation;
        sum.layoutOf = {};
        sum.name += "/next";
        made.output = work_.tensors.add(sum);
        Op op;
        op.name = sum.name;
        op.type = "GradAccumulate";
        op.attributes = ElementwiseAttributes{ElementwiseFunction::ScaledAdd, 1};
        op.inputs = {made.input, value};
        op.outputs = {made.output};
        op.pass = Pass::Backward;
        work_.ops.add(std::move(op));
        return made;
    }

    /// Backward operations that a result of the backward step needs.
    [[nodiscard]] std::vector<bool> neededOps() const {
        std::vector<bool> tensors(work_.tensors.size());
        for (const TensorId id : newSeeds_)
            tensors[id.index()] = true;
        for (const auto& [operand, id] : rows_)
            tensors[id.index()] = true;
        for (const StepSum& sum : sums_)
            tensors[sum.output.index()] = true;
        std::vector<bool> needed(work_.ops.size());
        for (std::size_t i = work_.ops.size(); i-- > count_;) {
            const Op& op = work_.ops[OpId(i)];
            needed[i] = std::any_of(op.outputs.begin(), op.outputs.end(),
                                    [&](TensorId out) { return tensors[out.index()]; });
            if (needed[i])
                for (const TensorId in : op.inputs)
                    tensors[in.index()] = true;
        }
        return needed;
    }

    void extract() {
        made_.name = work_.name + "/backward";
        for (const TensorId seed : stateSeeds_)
            made_.inputs.push_back(add(seed));
        for (const StepSum& sum : sums_)
            made_.inputs.push_back(add(sum.input));
        for (const TensorId seed : rowSeeds_)
            made_.inputs.push_back(add(seed));
        makers_.assign(work_.tensors.size(), OpId());
        for (std::size_t i = 0; i < count_; ++i)
            for (const TensorId out : work_.ops[OpId(i)].outputs)
                makers_[out.index()] = OpId(i);
        const std::vector<bool> needed = neededOps();
        for (std::size_t i = count_; i < work_.ops.size(); ++i)
            if (needed[i])
                emitInside(work_.ops[OpId(i)]);
        made_.inputs.insert(made_.inputs.end(), savedInputs_.begin(), savedInputs_.end());
        made_.inputs.insert(made_.inputs.end(), constantInputs_.begin(), constantInputs_.end());
        for (const StepSum& sum : sums_)
            if (const TensorId like = work_.tensors[sum.input].layoutOf;
                like.valid() && map_.contains(like))
                made_.tensors[map_.at(sum.input)].layoutOf = map_.at(like);
        for (const TensorId id : newSeeds_)
            made_.outputs.push_back(inside(id));
        for (const StepSum& sum : sums_)
            made_.outputs.push_back(inside(sum.output));
        for (const auto& [operand, id] : rows_)
            made_.outputs.push_back(inside(id));
    }

    TensorId add(TensorId id) {
        Tensor t = work_.tensors[id];
        t.layoutOf = {};
        return map_[id] = made_.tensors.add(std::move(t));
    }

    void emitInside(Op op) {
        for (TensorId& in : op.inputs)
            in = inside(in);
        for (TensorId& out : op.outputs)
            out = add(out);
        made_.ops.add(std::move(op));
    }

    /// A tensor in the body's gradient. A tensor of the forward step is a constant, is read by
    /// every step, comes from the sequence that the forward loop saved, or is a view of one of
    /// these.
    TensorId inside(TensorId id) {
        if (const auto known = map_.find(id); known != map_.end())
            return known->second;
        const auto input = std::find(work_.inputs.begin(), work_.inputs.end(), id);
        const auto number = static_cast<std::size_t>(input - work_.inputs.begin());
        if (input != work_.inputs.end() && number >= states() + sequences()) {
            constants_.push_back(operandOf(number));
            constantInputs_.push_back(addArgument(id));
        } else if (input != work_.inputs.end() && number >= states()) {
            saved_.push_back(operandOf(number));
            savedInputs_.push_back(addArgument(id));
        } else if (const OpId maker = makers_[id.index()];
                   maker.valid() && isView(work_.ops[maker].attributes)) {
            Op again = work_.ops[maker];
            again.name += "/again";
            emitInside(std::move(again));
        } else if (maker.valid() || input != work_.inputs.end()) {
            saved_.push_back(savedRows(id));
            savedInputs_.push_back(addArgument(id));
        } else {
            add(id);
        }
        return map_.at(id);
    }

    TensorId addArgument(TensorId id) {
        const TensorId made = add(id);
        made_.tensors[made].role = TensorRole::Input;
        return made;
    }

    /// Makes the forward loop keep a tensor's values of all steps.
    TensorId savedRows(TensorId id) {
        Graph& graph = outer_.graph();
        Graph& body = graph.functions[static_cast<std::size_t>(loop_.function)];
        Tensor rows = work_.tensors[id];
        rows.name += "/saved";
        rows.role = TensorRole::Activation;
        rows.layoutOf = {};
        rows.shape.insert(rows.shape.begin(), loop_.steps);
        Op& loop = forwardLoop();
        for (std::size_t i = states(); i < body.outputs.size(); ++i)
            if (body.outputs[i] == id)
                return loop.outputs[i];
        body.outputs.push_back(id);
        const TensorId made = graph.tensors.add(std::move(rows));
        loop.outputs.push_back(made);
        return made;
    }

    Op& forwardLoop() {
        Graph& graph = outer_.graph();
        for (std::size_t i = 0;; ++i)
            if (graph.ops[OpId(i)].outputs[0] == forward_.outputs[0])
                return graph.ops[OpId(i)];
    }

    /// Gradients of the last states; zeros only after all that have one.
    std::vector<TensorId> lastGradients() {
        std::vector<TensorId> given;
        for (std::size_t s = 0; s < states(); ++s) {
            const TensorId gradient = outer_.gradientOf(forward_.outputs[s]);
            if (!gradient.valid())
                continue;
            while (given.size() < s)
                given.push_back(outer_.emit("zeroGrad", FillAttributes{}, {},
                                            outer_.shape(forward_.outputs[given.size()])));
            given.push_back(gradient);
        }
        return given;
    }

    void emitLoop() {
        std::vector<TensorId> inputs = lastGradients();
        LoopAttributes back;
        back.steps = loop_.steps;
        back.backwards = !loop_.backwards;
        back.states = static_cast<std::int32_t>(states() + sums_.size());
        back.zeroStates = back.states - static_cast<std::int32_t>(inputs.size());
        back.sequences = static_cast<std::int32_t>(rowGradients_.size() + saved_.size());
        back.function = static_cast<std::int32_t>(outer_.graph().functions.size());
        inputs.insert(inputs.end(), rowGradients_.begin(), rowGradients_.end());
        inputs.insert(inputs.end(), saved_.begin(), saved_.end());
        inputs.insert(inputs.end(), constants_.begin(), constants_.end());
        std::vector<TensorId> results{
            outer_.emit("LoopGrad", back, inputs, made_.tensors[made_.outputs[0]].shape)};
        Graph& graph = outer_.graph();
        Op& loop = graph.ops.back();
        graph.tensors[results[0]].type = made_.tensors[made_.outputs[0]].type;
        for (std::size_t i = 1; i < made_.outputs.size(); ++i) {
            Tensor t = made_.tensors[made_.outputs[i]];
            t.name = loop.name + "/" + t.name;
            t.role = TensorRole::Activation;
            t.layoutOf = {};
            if (i >= static_cast<std::size_t>(back.states))
                t.shape.insert(t.shape.begin(), loop_.steps);
            results.push_back(graph.tensors.add(std::move(t)));
            loop.outputs.push_back(results.back());
        }
        graph.functions.push_back(std::move(made_));
        contributeAll(results);
    }

    void contributeAll(const std::vector<TensorId>& results) {
        for (std::size_t s = 0; s < states(); ++s)
            if (const TensorId operand = operandOf(s); operand.valid())
                outer_.contribute(operand, results[s]);
        for (std::size_t i = 0; i < sums_.size(); ++i)
            outer_.contribute(operandOf(sums_[i].operand),
                              outer_.reshaped("GradSum/shaped",
                                              outer_.reducedTo("GradSum", results[states() + i],
                                                               sums_[i].reduced),
                                              sums_[i].summed));
        for (std::size_t i = 0; i < rows_.size(); ++i)
            outer_.contribute(rows_[i].first, results[states() + sums_.size() + i]);
    }

    GradientBuilder& outer_;
    LoopAttributes loop_;
    Op forward_;
    Graph work_; ///< the body, then its gradient
    GradientBuilder inner_;
    std::size_t count_; ///< operations of the body
    std::vector<TensorId> stateSeeds_, newSeeds_, rowSeeds_;
    std::vector<TensorId> rowGradients_;              ///< of the outer graph
    std::vector<std::pair<TensorId, TensorId>> rows_; ///< operand and the gradient of its row
    std::vector<StepSum> sums_;
    Graph made_; ///< the body of the backward loop
    std::map<TensorId, TensorId> map_;
    std::vector<OpId> makers_;
    std::vector<TensorId> saved_, savedInputs_, constants_, constantInputs_;
};

} // namespace

void addGradient(GradientBuilder& builder, const LoopAttributes& loop, TensorId) {
    LoopGradient(builder, loop).run();
}

} // namespace tilescope::sim
