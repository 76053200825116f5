#include "simulator/training/optimizer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/options/option_error.h"
#include "simulator/cost/collective.h"
#include "simulator/training/weight_update.h"

namespace tilescope::sim {
namespace {

/// Builds the new list of operations: updates of a weight in the backward pass follow the operation
/// that completes its gradient, so that gradients do not accumulate, or the last one that reads the
/// weight's old value (PopART: an operation that overwrites a tensor comes after its other
/// consumers).
class OptimizerBuilder {
public:
    OptimizerBuilder(Graph& graph, const UpdateOptions& options)
        : graph_(graph)
        , options_(options)
        , producers_(graph.producers())
        , followers_(graph.ops.size())
        , dropped_(graph.ops.size())
        , home_(graph.tensors.size(), 0)
        , lastReaders_(graph.tensors.size())
        , readers_(graph.tensors.size(), 0)
        , shards_(replicaTopology(options.machine.target, options.replication.replicas).within) {
        for (std::size_t i = graph.ops.size(); i-- > 0;)
            for (const TensorId in : graph.ops[OpId(i)].inputs) {
                home_[in.index()] = graph.ops[OpId(i)].stage;
                ++readers_[in.index()];
                lastReaders_[in.index()] =
                    std::max(lastReaders_[in.index()], lastReaderThrough(OpId(i)));
            }
    }

    /// Counts one more reader of a gradient.
    void expect(const WeightGradient& pair) {
        for (const TensorId part : pair.parts)
            ++readers_[part.index()];
    }

    void add(const WeightGradient& pair) {
        Ready ready{pair.weight, pair.parts.back(), producers_[pair.parts.back().index()]};
        if (accumulates())
            ready.gradient = accumulateAll(pair);
        else if (isOverwritten(pair.weight) && isShared(ready))
            ready.gradient = copied(ready);
        if (isSharded(pair.weight)) {
            updateAll({ready});
            return;
        }
        const auto batch =
            std::pair(graph_.ipuOf(homeOf(pair.weight)), graph_.tensors[ready.gradient].type);
        std::vector<Ready>& waiting = waiting_[batch];
        waiting.push_back(ready);
        if (bytesOf(waiting) > options_.replication.maxCrossReplicaBufferSize)
            updateAll(std::exchange(waiting, {}));
    }

    void finish() {
        for (const auto& [batch, waiting] : waiting_)
            if (!waiting.empty())
                updateAll(waiting);
        clipTogether();
        IdVector<OpId, Op> ops;
        for (std::size_t i = 0; i < followers_.size(); ++i) {
            if (!dropped_[i])
                ops.add(std::move(graph_.ops[OpId(i)]));
            for (Op& op : followers_[i])
                ops.add(std::move(op));
        }
        for (Op& op : updates_)
            ops.add(std::move(op));
        graph_.ops = std::move(ops);
    }

private:
    /// A weight whose gradient, or accumulator, is complete.
    struct Ready {
        TensorId weight, gradient;
        OpId last; ///< operation that completes the gradient
    };

    /// The last operation that reads an operation's operands: itself, or a reader of the view that
    /// it makes. Later operations have been processed.
    [[nodiscard]] OpId lastReaderThrough(OpId id) const {
        const Op& op = graph_.ops[id];
        OpId last = id;
        if (isView(op.attributes))
            for (const TensorId out : op.outputs)
                last = std::max(last, lastReaders_[out.index()]);
        return last;
    }
    /// A gradient, before its norm is in bounds with those of the others.
    struct Unclipped {
        Ready ready;
        TensorId own;
    };
    WeightUpdate updateOf(const Unclipped& one) {
        return {graph_, options_, placeOf(one.ready.weight), updates_};
    }

    [[nodiscard]] bool accumulates() const { return options_.batch.gradientAccumulation > 1; }
    [[nodiscard]] std::int32_t homeOf(TensorId weight) const { return home_[weight.index()]; }

    /// Whether an update without accumulator works on the gradient in place: sums over replicas do,
    /// and weight decay added to the gradient.
    [[nodiscard]] bool isOverwritten(TensorId weight) const {
        const UpdateNumbers numbers = updateNumbers(options_.training, graph_.tensors[weight].name);
        return options_.replication.replicas > 1 || numbers.weightDecay != 0 ||
               (options_.training.nesterov && numbers.hasVelocity);
    }
    /// Whether a gradient, or the tensor that it is a view of, has other readers: another weight's
    /// update, or the rest of the backward pass.
    [[nodiscard]] bool isShared(const Ready& ready) const {
        TensorId id = ready.gradient;
        while (readers_[id.index()] <= 1) {
            const OpId maker = producers_[id.index()];
            if (!maker.valid() || !isView(graph_.ops[maker].attributes))
                return !maker.valid() && ready.last.valid(); // a view of a constant
            id = graph_.ops[maker].inputs[0];
        }
        return true;
    }
    TensorId copied(const Ready& ready) {
        return WeightUpdate(graph_, options_,
                            {ready.weight, Pass::Backward, graph_.ops[ready.last].stage},
                            followers_[ready.last.index()])
            .inPlace("_gradientCopy", "Copy", {ElementwiseFunction::Copy}, {ready.gradient});
    }

    [[nodiscard]] std::int64_t bytesOf(const std::vector<Ready>& waiting) const {
        std::int64_t bytes = 0;
        for (const Ready& ready : waiting)
            bytes += graph_.tensors[ready.gradient].bytes();
        return bytes;
    }

    /// Whether a weight's state is spread over the replicas.
    [[nodiscard]] bool isSharded(TensorId weight) const {
        return options_.replication.replicatedTensorSharding && shards_ > 1 &&
               options_.training.optimizer != Optimizer::Sgd &&
               graph_.tensors[weight].elements() >=
                   options_.replication.minElementsForReplicatedTensorSharding;
    }

    /// Sums the gradients over the replicas and updates their weights: none of them sharded, or
    /// one.
    void updateAll(std::vector<Ready> waiting) {
        OpId last;
        for (const Ready& ready : waiting)
            last = std::max({last, ready.last, lastReaders_[ready.weight.index()]});
        const bool sharded = isSharded(waiting.front().weight);
        std::vector<Op> ops;
        if (options_.replication.replicas > 1 && !sharded)
            ops.push_back(sumOverReplicas(waiting, pass()));
        for (const Ready& ready : waiting) {
            WeightUpdate update(graph_, options_, placeOf(ready.weight), ops);
            const TensorId own =
                update.ownGradient(ready.gradient, reciprocal_, sharded ? shards_ : 1);
            if (options_.training.globalClipNorm)
                unclipped_.push_back({ready, own});
            else
                update.run(own, ready.gradient);
        }
        std::vector<Op>& list = accumulates() ? updates_ : followers_[last.index()];
        list.insert(list.end(), ops.begin(), ops.end());
    }

    [[nodiscard]] Pass pass() const { return accumulates() ? Pass::Update : Pass::Backward; }
    [[nodiscard]] WeightPlace placeOf(TensorId weight) const {
        return {weight, pass(), homeOf(weight)};
    }

    /// Updates all weights at the end, with gradients whose norm together is within its bound. The
    /// squares are added up from stage to stage.
    void clipTogether() {
        std::ranges::stable_sort(unclipped_, {},
                                 [&](const Unclipped& one) { return homeOf(one.ready.weight); });
        TensorId square;
        for (const Unclipped& one : unclipped_)
            square = updateOf(one).addedSquare(one.own, square);
        if (!square.valid())
            return;
        const TensorId factor =
            updateOf(unclipped_.back()).clippingFactor(square, *options_.training.globalClipNorm);
        for (const Unclipped& one : unclipped_) {
            WeightUpdate update = updateOf(one);
            update.run(update.scaled(one.own, factor), one.ready.gradient);
        }
    }

    Op sumOverReplicas(std::vector<Ready>& waiting, Pass pass) {
        const TensorId first = waiting.front().weight;
        Op sum;
        sum.onnxNode = graph_.tensors[first].name;
        sum.name = sum.onnxNode + "_allReduce";
        sum.type = "ReplicatedAllReduceInplace";
        sum.attributes =
            CollectiveAttributes{CollectiveKind::AllReduce, options_.replication.replicas};
        sum.pass = pass;
        sum.stage = homeOf(first);
        for (Ready& ready : waiting) {
            sum.inputs.push_back(ready.gradient);
            Tensor made = graph_.tensors[ready.gradient];
            made.name = graph_.tensors[ready.weight].name + "_allReduce";
            made.role = TensorRole::Activation;
            made.state = StateKind::None;
            made.layoutOf = {};
            ready.gradient = graph_.tensors.add(std::move(made));
            sum.outputs.push_back(ready.gradient);
        }
        return sum;
    }

    /// Adds the parts of a gradient to the weight's accumulator, each in its own stage if that is
    /// on the same IPU. Returns the accumulator as it is after the last.
    TensorId accumulateAll(const WeightGradient& pair) {
        const std::int32_t home = homeOf(pair.weight);
        std::vector<Op> none;
        const TensorId accumulator =
            WeightUpdate(graph_, options_, {pair.weight, Pass::Backward, home}, none)
                .state("Accum___", options_.training.accumulationType, StateKind::Accumulator);
        TensorId sum;
        for (std::size_t i = 0; i < pair.parts.size(); ++i) {
            const OpId maker = producers_[pair.parts[i].index()];
            const std::int32_t stage = graph_.ops[maker].stage;
            const bool isHere = graph_.ipuOf(stage) == graph_.ipuOf(home);
            const WeightPlace place{pair.weight, Pass::Backward, isHere ? stage : home};
            if (isHere &&
                std::holds_alternative<MultiUpdateAttributes>(graph_.ops[maker].attributes))
                sum = accumulateRows(accumulator, pair.parts[i]);
            else
                sum = WeightUpdate(graph_, options_, place, followers_[maker.index()])
                          .inPlace("_accumulate" + (i == 0 ? "" : fmt::format("/{}", i)),
                                   "Accumulate", {ElementwiseFunction::ScaledAdd, 1},
                                   {accumulator, pair.parts[i]});
        }
        return sum;
    }

    /// Rows of an embedding are added to the accumulator itself (PopART SparseAccumulate).
    TensorId accumulateRows(TensorId accumulator, TensorId gradient) {
        Op& update = graph_.ops[producers_[gradient.index()]];
        dropped_[producers_[update.inputs[0].index()].index()] = true;
        update.inputs[0] = accumulator;
        update.type = "SparseAccumulate";
        graph_.tensors[gradient].type = graph_.tensors[accumulator].type;
        return gradient;
    }

    Graph& graph_;
    const UpdateOptions& options_;
    std::vector<OpId> producers_;
    std::vector<std::vector<Op>> followers_; ///< of each operation there was
    std::vector<bool> dropped_;
    std::vector<std::int32_t> home_;    ///< stage of each tensor's first reader
    std::vector<OpId> lastReaders_;     ///< of each tensor and its views
    std::vector<std::int32_t> readers_; ///< how many each tensor has
    std::vector<Op> updates_;
    std::vector<Unclipped> unclipped_;
    TensorId reciprocal_;
    std::int32_t shards_;
    std::map<std::pair<IpuId, DataType>, std::vector<Ready>> waiting_;
};

} // namespace

namespace {

/// A mean over replicas without an accumulator, which would divide, begins with the loss.
double replicaShare(const UpdateOptions& options) {
    const bool divides = options.training.accumulationReduction == Reduction::Mean;
    return divides && options.batch.gradientAccumulation == 1 ? 1.0 / options.replication.replicas
                                                              : 1;
}

/// Calls `use` with each weight of a name or within a scope; throws if there is none.
template <class Use>
void forWeightsOf(Graph& graph, const std::string& name, const char* option, const Use& use) {
    bool found = false;
    for (Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::Weight && isWeightOf(tensor.name, name)) {
            found = true;
            use(tensor);
        }
    if (!found)
        throw OptionError(
            option, fmt::format("model '{}' has no weight '{}'; leave it out", graph.name, name));
}

void freeze(Graph& graph, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        forWeightsOf(graph, name, "frozen", [](Tensor& weight) { weight.frozen = true; });
}

/// Each name of a group holds weights that no other group has.
void checkGroups(Graph& graph, const std::vector<ParameterGroup>& groups) {
    std::map<std::string, const ParameterGroup*> groupOf;
    for (const ParameterGroup& group : groups)
        for (const std::string& name : group.weights)
            forWeightsOf(graph, name, "parameterGroups", [&](const Tensor& weight) {
                if (groupOf.try_emplace(weight.name, &group).first->second != &group)
                    throw OptionError(
                        "parameterGroups",
                        fmt::format("two groups have '{}'; leave it out of one", weight.name));
            });
}

} // namespace

void addOptimizer(Graph& graph, const std::vector<WeightGradient>& gradients,
                  const UpdateOptions& options) {
    OptimizerBuilder builder(graph, options);
    for (const WeightGradient& gradient : gradients)
        builder.expect(gradient);
    for (const WeightGradient& gradient : gradients)
        builder.add(gradient);
    builder.finish();
}

Graph trainingGraph(Graph graph, const UpdateOptions& options) {
    freeze(graph, options.training.frozen);
    checkGroups(graph, options.training.parameterGroups);
    const Loss loss =
        addLoss(graph, options.training.loss, options.training.lossScaling * replicaShare(options),
                options.training.lossOutput);
    const auto gradients = addGradients(graph, loss, options.batch.gradientAccumulation > 1);
    for (const WeightGradient& gradient : gradients)
        for (const TensorId part : gradient.parts)
            graph.gradientParts[graph.tensors[gradient.weight].name].push_back(
                graph.tensors[part].name);
    addOptimizer(graph, gradients, options);
    return graph;
}

} // namespace tilescope::sim
