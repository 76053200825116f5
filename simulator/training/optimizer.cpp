#include "simulator/training/optimizer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "simulator/cost/collective.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// Smaller weights are not sharded (popart TensorLocationSettings, minimum for sharding).
constexpr std::int64_t leastShardedElements = 8192;

/// Builds the new list of operations: what updates a weight in the backward pass follows the
/// operation that completes its gradient, so that gradients do not pile up.
class OptimizerBuilder {
public:
    OptimizerBuilder(Graph& graph, const RunOptions& options)
        : graph_(graph)
        , options_(options)
        , producers_(graph.producers())
        , followers_(graph.ops.size())
        , dropped_(graph.ops.size())
        , home_(graph.tensors.size(), 0)
        , shards_(replicaTopology(options.target, options.replicas).within) {
        for (std::size_t i = graph.ops.size(); i-- > 0;)
            for (const TensorId in : graph.ops[OpId(i)].inputs)
                home_[in.index()] = graph.ops[OpId(i)].stage;
    }

    void add(const WeightGradient& pair) {
        select(pair.weight, Pass::Backward);
        Ready ready{pair.weight, pair.parts.back(), producers_[pair.parts.back().index()]};
        if (options_.gradientAccumulation > 1)
            ready.gradient = accumulateAll(pair.parts);
        if (isSharded()) {
            std::vector<Ready> alone{ready};
            updateAll(alone);
            return;
        }
        const auto batch = std::pair(graph_.ipuOf(stage_), graph_.tensors[ready.gradient].type);
        std::vector<Ready>& waiting = waiting_[batch];
        waiting.push_back(ready);
        if (waitingBytes(waiting) > options_.maxCrossReplicaBufferSize)
            updateAll(waiting);
    }

    void finish() {
        for (auto& [batch, waiting] : waiting_)
            updateAll(waiting);
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
    /// A weight whose gradient is there, or its accumulator.
    struct Ready {
        TensorId weight, gradient;
        OpId last; ///< operation that completes the gradient
    };

    void select(TensorId weight, Pass pass) {
        weight_ = updated_ = like_ = weight;
        name_ = graph_.tensors[weight_].name;
        stage_ = home_[weight_.index()];
        pass_ = pass;
    }

    [[nodiscard]] std::int64_t waitingBytes(const std::vector<Ready>& waiting) const {
        std::int64_t bytes = 0;
        for (const Ready& ready : waiting)
            bytes += graph_.tensors[ready.gradient].bytes();
        return bytes;
    }

    /// Whether the selected weight's state is spread over the replicas.
    [[nodiscard]] bool isSharded() const {
        return options_.replicatedTensorSharding && shards_ > 1 &&
               options_.optimizer != Optimizer::Sgd &&
               graph_.tensors[weight_].elements() >= leastShardedElements;
    }

    /// Sums the gradients over the replicas and updates their weights: none that is sharded, or
    /// one.
    void updateAll(std::vector<Ready>& waiting) {
        if (waiting.empty())
            return;
        const bool accumulates = options_.gradientAccumulation > 1;
        const Pass pass = accumulates ? Pass::Update : Pass::Backward;
        OpId last;
        for (const Ready& ready : waiting)
            last = std::max(last, ready.last);
        select(waiting.front().weight, pass);
        if (options_.replicas > 1 && !isSharded())
            sumOverReplicas(waiting);
        for (const Ready& ready : waiting) {
            select(ready.weight, pass);
            updateOne(ready);
        }
        waiting.clear();
        if (!accumulates)
            follow(last);
        updates_.insert(updates_.end(), pending_.begin(), pending_.end());
        pending_.clear();
    }

    void sumOverReplicas(std::vector<Ready>& waiting) {
        Op sum;
        sum.name = name_ + "_allReduce";
        sum.type = "ReplicatedAllReduceInplace";
        sum.onnxNode = name_;
        sum.attributes = CollectiveAttributes{CollectiveKind::AllReduce, options_.replicas};
        sum.pass = pass_;
        sum.stage = stage_;
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
        pending_.push_back(std::move(sum));
    }

    void updateOne(const Ready& ready) {
        TensorId gradient = ready.gradient;
        if (isSharded())
            gradient = shard(gradient);
        const bool accumulates = options_.gradientAccumulation > 1;
        if (accumulates && options_.accumulationReduction == Reduction::Mean)
            gradient = op("_accumulatorMean", "AccumulatorScale", ElementwiseAttributes{Multiply},
                          {gradient, reciprocalCount()}, graph_.tensors[gradient].shape,
                          graph_.tensors[gradient].type);
        update(gradient);
        if (accumulates)
            inPlace("_accumulator_zero", "AccumulatorZero", Zero, {ready.gradient});
    }

    /// From here on the optimizer works on the replica's shard: of the gradient's sum, of the
    /// weight and of the state (popart docs/popart/tensor_locations.rst).
    TensorId shard(TensorId gradient) {
        const Shape shape = shardShape(graph_.tensors[weight_].shape, shards_);
        const TensorId sum = op("_reduceScatter", "ReplicatedReduceScatter",
                                CollectiveAttributes{CollectiveKind::ReduceScatter, shards_},
                                {gradient}, shape, graph_.tensors[gradient].type);
        updated_ = op("_shard", "ReplicatedReduceScatter", ShardAttributes{shards_}, {weight_},
                      shape, graph_.tensors[weight_].type);
        like_ = sum;
        return sum;
    }

    /// A tensor on the tiles of what is updated that outlives the step.
    TensorId state(const std::string& prefix, Precision type, StateKind kind = StateKind::Moment) {
        Tensor made;
        made.name = prefix + name_;
        made.shape = graph_.tensors[updated_].shape;
        made.type = type == Precision::Half ? DataType::Half : DataType::Float;
        made.role = TensorRole::Weight;
        made.layoutOf = like_;
        made.state = kind;
        return graph_.tensors.add(std::move(made));
    }

    /// One over the micro-batches of an update.
    TensorId reciprocalCount() {
        if (!reciprocal_.valid()) {
            Tensor made;
            made.name = "reciprocalAccumulationCount";
            made.type =
                options_.accumulationType == Precision::Half ? DataType::Half : DataType::Float;
            made.role = TensorRole::Constant;
            reciprocal_ = graph_.tensors.add(std::move(made));
        }
        return reciprocal_;
    }

    TensorId op(const std::string& suffix, const std::string& type, Attributes attributes,
                std::vector<TensorId> inputs, Shape shape, DataType dataType) {
        Tensor made;
        made.name = name_ + suffix;
        made.shape = std::move(shape);
        made.type = dataType;
        const TensorId out = graph_.tensors.add(std::move(made));
        pending_.push_back({name_ + suffix,
                            type,
                            name_,
                            std::move(attributes),
                            std::move(inputs),
                            {out},
                            pass_,
                            stage_});
        return out;
    }

    /// Overwrites the first operand; the result is the operand's new value.
    TensorId inPlace(const std::string& suffix, const std::string& type,
                     ElementwiseFunction function, std::vector<TensorId> inputs) {
        const Tensor& first = graph_.tensors[inputs[0]];
        return op(suffix, type, ElementwiseAttributes{function}, inputs, first.shape, first.type);
    }

    void follow(OpId maker) {
        auto& list = followers_[maker.index()];
        list.insert(list.end(), pending_.begin(), pending_.end());
        pending_.clear();
    }

    /// Adds the parts of a gradient to the weight's accumulator, each in its own stage if that is
    /// on the same IPU. Returns the accumulator as it is after the last.
    TensorId accumulateAll(const std::vector<TensorId>& parts) {
        const TensorId accumulator =
            state("Accum___", options_.accumulationType, StateKind::Accumulator);
        const std::int32_t home = stage_;
        TensorId sum;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const OpId maker = producers_[parts[i].index()];
            const std::int32_t stage = graph_.ops[maker].stage;
            const bool isHere = graph_.ipuOf(stage) == graph_.ipuOf(home);
            stage_ = isHere ? stage : home;
            sum = accumulate(accumulator, parts[i], isHere, i == 0 ? "" : fmt::format("/{}", i));
            follow(maker);
        }
        stage_ = home;
        return sum;
    }

    /// Rows of an embedding are added to the accumulator itself (PopART SparseAccumulate), if it is
    /// on their IPU.
    TensorId accumulate(TensorId accumulator, TensorId gradient, bool isHere,
                        const std::string& number) {
        const OpId maker = producers_[gradient.index()];
        Op& last = graph_.ops[maker];
        if (!isHere || !std::holds_alternative<MultiUpdateAttributes>(last.attributes))
            return inPlace("_accumulate" + number, "Accumulate", ScaledAdd,
                           {accumulator, gradient});
        dropped_[producers_[last.inputs[0].index()].index()] = true;
        last.inputs[0] = accumulator;
        last.type = "SparseAccumulate";
        graph_.tensors[gradient].type = graph_.tensors[accumulator].type;
        return gradient;
    }

    /// A number of the weight's own that outlives the step.
    TensorId scalarState(const std::string& prefix) {
        Tensor made;
        made.name = prefix + name_;
        made.role = TensorRole::Weight;
        made.state = StateKind::Moment;
        return graph_.tensors.add(std::move(made));
    }

    TensorId scalar(const std::string& name, DataType type) {
        Tensor made;
        made.name = name;
        made.type = type;
        made.role = TensorRole::Constant;
        return graph_.tensors.add(std::move(made));
    }

    [[nodiscard]] DataType stateType() const {
        return options_.optimizerStateType == Precision::Half ? DataType::Half : DataType::Float;
    }

    /// Moments are of their own type and without the loss's scaling (popart adamdecompose: SGD has
    /// both in its learning rate).
    TensorId unscaled(TensorId gradient) {
        const Shape shape = graph_.tensors[updated_].shape;
        if (graph_.tensors[gradient].type != stateType())
            gradient = op("_gradientCast", "Cast", ElementwiseAttributes{Cast}, {gradient}, shape,
                          stateType());
        if (options_.lossScaling == 1)
            return gradient;
        return op("_gradientUnscale", "GradientUnscale", ElementwiseAttributes{Multiply},
                  {gradient, scalar("adamGradientScaling___specific___" + name_, stateType())},
                  shape, stateType());
    }

    void update(TensorId gradient) {
        switch (options_.optimizer) {
        case Optimizer::Sgd:
            step(gradient);
            return;
        case Optimizer::Momentum: {
            const TensorId velocity =
                inPlace("_accl1", "Accl1Update", MovingAverage,
                        {state("Accl1___", options_.optimizerStateType), gradient});
            step(velocity);
            return;
        }
        case Optimizer::Adam:
        case Optimizer::AdamW:
            step(updater(gradient));
            return;
        case Optimizer::Lamb:
            step(scaledByTrust(updater(gradient)));
            return;
        }
    }

    void step(TensorId change) {
        const TensorId stepped = inPlace("_var_update", "VarUpdate", ScaledAdd, {updated_, change});
        if (updated_ != weight_)
            op("_allGather", "ReplicatedAllGather",
               CollectiveAttributes{CollectiveKind::AllGather, shards_}, {weight_, stepped},
               graph_.tensors[weight_].shape, graph_.tensors[weight_].type);
    }

    TensorId updater(TensorId gradient) {
        gradient = unscaled(gradient);
        const TensorId first = inPlace("_accl1", "Accl1Update", MovingAverage,
                                       {state("Accl1___", options_.optimizerStateType), gradient});
        const TensorId second = inPlace("_accl2", "Accl2Update", MovingSquare,
                                        {state("Accl2___", options_.optimizerStateType), gradient});
        const TensorId count = inPlace("_step", "Accumulate", ScaledAdd,
                                       {scalarState("Step___"), scalar("one", DataType::Float)});
        const bool decays = options_.optimizer != Optimizer::Adam;
        const TensorId third = decays ? updated_ : first;
        return op("_adamupdater", "AdamUpdater", ElementwiseAttributes{AdamUpdater},
                  {first, second, third, count}, graph_.tensors[updated_].shape, DataType::Float);
    }

    /// The sum of a number over the shards (popart op/lamb.cpp).
    TensorId ofAllShards(const std::string& suffix, TensorId number) {
        return updated_ == weight_ ? number
                                   : op(suffix + "_allReduce", "ReplicatedAllReduceInplace",
                                        CollectiveAttributes{CollectiveKind::AllReduce, shards_},
                                        {number}, {}, DataType::Float);
    }

    /// The step times the ratio of the weight's norm to the step's own (LAMB).
    TensorId scaledByTrust(TensorId change) {
        const Shape shape = graph_.tensors[updated_].shape;
        ReduceAttributes all{ReduceFunction::SquareAdd, {}, false};
        for (std::size_t d = 0; d < shape.size(); ++d)
            all.axes.push_back(static_cast<std::int64_t>(d));
        const TensorId weightNorm = ofAllShards(
            "_lambR1Sq", op("_lambR1Sq", "LambSquare", all, {updated_}, {}, DataType::Float));
        const TensorId stepNorm = ofAllShards(
            "_lambR2Sq", op("_lambR2Sq", "LambSquare", all, {change}, {}, DataType::Float));
        const TensorId ratio = op("_lambRatio", "LambRatio", ElementwiseAttributes{Divide},
                                  {weightNorm, stepNorm}, {}, DataType::Float);
        return op("_lambScale", "LambScale", ElementwiseAttributes{Multiply}, {change, ratio},
                  shape, DataType::Float);
    }

    Graph& graph_;
    const RunOptions& options_;
    std::vector<OpId> producers_;
    std::vector<std::vector<Op>> followers_; ///< of each operation there was
    std::vector<bool> dropped_;
    std::vector<std::int32_t> home_; ///< stage of each tensor's first reader
    std::vector<Op> pending_, updates_;
    std::int32_t stage_ = 0;
    TensorId weight_, reciprocal_;
    TensorId updated_; ///< the weight, or the replica's shard of it
    TensorId like_;    ///< whose layout the optimizer's state has
    std::int32_t shards_;
    std::map<std::pair<IpuId, DataType>, std::vector<Ready>> waiting_;
    std::string name_;
    Pass pass_ = Pass::Backward;
};

} // namespace

void addOptimizer(Graph& graph, const std::vector<WeightGradient>& gradients,
                  const RunOptions& options) {
    OptimizerBuilder builder(graph, options);
    for (const WeightGradient& gradient : gradients)
        builder.add(gradient);
    builder.finish();
}

Graph trainingGraph(Graph graph, const RunOptions& options) {
    const Loss loss = addCrossEntropy(graph);
    addOptimizer(graph, addGradients(graph, loss, options.gradientAccumulation > 1), options);
    return graph;
}

} // namespace tilescope::sim
