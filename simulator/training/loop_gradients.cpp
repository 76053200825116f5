// Gradients of loops: the loop's body is differentiated as a graph of its own.
#include <algorithm>
#include <map>

#include "simulator/training/gradient_builder.h"
#include "simulator/training/loop_in_making.h"

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
        makers_ = makersOf(work_);
        findCarried();
        backwardLoop();
        if (!carried_.empty())
            updateLoop();
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

    [[nodiscard]] std::vector<TensorId> ownResults() const {
        std::vector<TensorId> results = newSeeds_;
        for (const auto& [operand, id] : rows_)
            results.push_back(id);
        return results;
    }
    [[nodiscard]] std::vector<TensorId> sumResults() const {
        std::vector<TensorId> results;
        for (const StepSum& sum : sums_)
            results.push_back(sum.output);
        return results;
    }

    /// The sums over the steps are a loop of their own after the backward loop, unless their
    /// weights are no larger than what the latter has to keep for it (popnn/Lstm.cpp and Gru.cpp,
    /// interleavedWUIsBeneficial).
    void findCarried() {
        const std::vector<bool> own = neededFor(work_, count_, ownResults());
        const std::vector<bool> ofSums = neededFor(work_, count_, sumResults());
        std::vector<TensorId> carried;
        std::int64_t kept = 0;
        for (std::size_t i = count_; i < work_.ops.size(); ++i) {
            if (own[i] || !ofSums[i])
                continue;
            for (TensorId in : work_.ops[OpId(i)].inputs) {
                in = viewedBy(work_, makers_, in);
                const OpId maker = makers_[in.index()];
                const bool made = maker.valid() && maker.index() >= count_ && own[maker.index()];
                if ((!made && !isSeed(in)) ||
                    std::find(carried.begin(), carried.end(), in) != carried.end())
                    continue;
                carried.push_back(in);
                kept += work_.tensors[in].elements() * loop_.steps;
            }
        }
        std::int64_t weights = 0;
        for (const StepSum& sum : sums_)
            if (sum.summed.size() > 1)
                weights += work_.tensors[work_.inputs[sum.operand]].elements();
        if (weights > kept)
            carried_ = std::move(carried);
    }

    [[nodiscard]] bool isSeed(TensorId id) const {
        const auto in = [&](const std::vector<TensorId>& seeds) {
            return std::find(seeds.begin(), seeds.end(), id) != seeds.end();
        };
        return in(stateSeeds_) || in(rowSeeds_);
    }

    void addSumInputs(LoopInMaking& made) {
        for (const StepSum& sum : sums_)
            made.body.inputs.push_back(add(made, sum.input));
    }

    /// Sums are laid out as the weights that they are for.
    void finishInputs(LoopInMaking& made, bool sums) {
        if (sums)
            for (const StepSum& sum : sums_)
                if (const TensorId like = work_.tensors[sum.input].layoutOf; like.valid())
                    made.body.tensors[made.map.at(sum.input)].layoutOf = inside(made, like);
        auto& inputs = made.body.inputs;
        inputs.insert(inputs.end(), made.savedInputs.begin(), made.savedInputs.end());
        inputs.insert(inputs.end(), made.constantInputs.begin(), made.constantInputs.end());
    }

    /// The loop over the gradients of the states and rows, with the sums unless they come later.
    void backwardLoop() {
        const bool sums = carried_.empty();
        LoopInMaking made;
        made.body.name = work_.name + "/backward";
        for (const TensorId seed : stateSeeds_)
            made.body.inputs.push_back(add(made, seed));
        if (sums)
            addSumInputs(made);
        for (const TensorId seed : rowSeeds_)
            made.body.inputs.push_back(add(made, seed));
        std::vector<TensorId> results = ownResults();
        const std::vector<TensorId> ofSums = sumResults();
        if (sums)
            results.insert(results.end(), ofSums.begin(), ofSums.end());
        const std::vector<bool> needed = neededFor(work_, count_, results);
        for (std::size_t i = count_; i < work_.ops.size(); ++i)
            if (needed[i])
                emitInside(made, work_.ops[OpId(i)]);
        finishInputs(made, sums);
        results = newSeeds_;
        if (sums)
            results.insert(results.end(), ofSums.begin(), ofSums.end());
        for (const auto& [operand, id] : rows_)
            results.push_back(id);
        results.insert(results.end(), carried_.begin(), carried_.end());
        for (const TensorId id : results)
            made.body.outputs.push_back(inside(made, id));

        std::vector<TensorId> inputs = lastGradients();
        const std::size_t count = states() + (sums ? sums_.size() : 0);
        const auto given = static_cast<std::int32_t>(inputs.size());
        inputs.insert(inputs.end(), rowGradients_.begin(), rowGradients_.end());
        const std::vector<TensorId> outputs =
            emitLoop(outer_, "LoopGrad", back(count, given), std::move(made), std::move(inputs));
        for (std::size_t s = 0; s < states(); ++s)
            if (const TensorId operand = operandOf(s); operand.valid())
                outer_.contribute(operand, outputs[s]);
        if (sums)
            contributeSums(
                {outputs.begin() + static_cast<std::ptrdiff_t>(states()), outputs.end()});
        for (std::size_t i = 0; i < rows_.size(); ++i)
            outer_.contribute(rows_[i].first, outputs[count + i]);
        for (std::size_t i = 0; i < carried_.size(); ++i)
            carriedRows_[carried_[i]] = outputs[count + rows_.size() + i];
    }

    /// The loop over the sums alone (popnn lstmWUImpl).
    void updateLoop() {
        LoopInMaking made;
        made.body.name = work_.name + "/update";
        addSumInputs(made);
        const std::vector<bool> needed = neededFor(work_, count_, sumResults());
        const std::vector<bool> done = neededFor(work_, count_, ownResults());
        for (std::size_t i = count_; i < work_.ops.size(); ++i)
            if (needed[i] && !done[i])
                emitInside(made, work_.ops[OpId(i)]);
        finishInputs(made, true);
        for (const TensorId id : sumResults())
            made.body.outputs.push_back(inside(made, id));
        contributeSums(emitLoop(outer_, "LoopUpdate", back(sums_.size(), 0), std::move(made), {}));
    }

    TensorId add(LoopInMaking& made, TensorId id) const {
        Tensor t = work_.tensors[id];
        t.layoutOf = {};
        return made.map[id] = made.body.tensors.add(std::move(t));
    }

    void emitInside(LoopInMaking& made, Op op) {
        for (TensorId& in : op.inputs)
            in = inside(made, in);
        for (TensorId& out : op.outputs)
            out = add(made, out);
        made.body.ops.add(std::move(op));
    }

    /// A tensor in the body's gradient. A tensor of the forward step is a constant, is read by
    /// every step, comes from the sequence that the forward loop saved, or is a view of one of
    /// these.
    TensorId inside(LoopInMaking& made, TensorId id) {
        if (const auto known = made.map.find(id); known != made.map.end())
            return known->second;
        const auto save = [&](TensorId rows) {
            made.saved.push_back(rows);
            made.savedInputs.push_back(addArgument(made, id));
        };
        const auto input = std::find(work_.inputs.begin(), work_.inputs.end(), id);
        const auto number = static_cast<std::size_t>(input - work_.inputs.begin());
        const OpId maker = makers_[id.index()];
        if (const auto rows = carriedRows_.find(id); rows != carriedRows_.end()) {
            save(rows->second);
        } else if (input != work_.inputs.end() && number >= states() + sequences()) {
            made.constants.push_back(operandOf(number));
            made.constantInputs.push_back(addArgument(made, id));
        } else if (input != work_.inputs.end() && number >= states()) {
            save(operandOf(number));
        } else if (maker.valid() && isView(work_.ops[maker].attributes)) {
            Op again = work_.ops[maker];
            again.name += "/again";
            emitInside(made, std::move(again));
        } else if (maker.valid() || input != work_.inputs.end()) {
            save(savedRows(id));
        } else {
            add(made, id);
        }
        return made.map.at(id);
    }

    TensorId addArgument(LoopInMaking& made, TensorId id) const {
        const TensorId argument = add(made, id);
        made.body.tensors[argument].role = TensorRole::Input;
        return argument;
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
        keepStates(body, states());
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

    /// A loop over the steps of the forward loop from the last one on, with so many states, of
    /// which `given` do not begin as zeros.
    [[nodiscard]] LoopAttributes back(std::size_t states, std::int32_t given) const {
        LoopAttributes made;
        made.steps = loop_.steps;
        made.backwards = !loop_.backwards;
        made.states = static_cast<std::int32_t>(states);
        made.zeroStates = made.states - given;
        return made;
    }

    void contributeSums(const std::vector<TensorId>& results) {
        for (std::size_t i = 0; i < sums_.size(); ++i)
            outer_.contribute(
                operandOf(sums_[i].operand),
                outer_.reshaped("GradSum/shaped",
                                outer_.reducedTo("GradSum", results[i], sums_[i].reduced),
                                sums_[i].summed));
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
    std::vector<OpId> makers_;
    /// What the backward loop keeps for the sums, if these are a loop of their own; and the results
    /// that hold it.
    std::vector<TensorId> carried_;
    std::map<TensorId, TensorId> carriedRows_;
};

} // namespace

void addGradient(GradientBuilder& builder, const LoopAttributes& loop, TensorId) {
    LoopGradient(builder, loop).run();
}

} // namespace tilescope::sim
