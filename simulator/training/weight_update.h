// The operations that update one weight, as PopART names them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/options/stage_options.h"

namespace tilescope::sim {

/// Which weight is updated, when and where.
struct WeightPlace {
    TensorId weight;
    Pass pass = Pass::Backward;
    std::int32_t stage = 0;
};

/// Collects operations for one weight. Names begin with the weight's.
class WeightUpdate {
public:
    /// Operations are added to `ops`, tensors to the graph.
    WeightUpdate(Graph& graph, const UpdateOptions& options, WeightPlace place,
                 std::vector<Op>& ops);

    /// The gradient that the optimizer works on: of the accumulator of several, their sum or mean,
    /// within its own bounds. On `shards` replicas it is the replica's shard, and each updates its
    /// own; 1: all update the whole. `reciprocal`: one over the micro-batches, which the first
    /// update makes that needs it.
    TensorId ownGradient(TensorId gradient, TensorId& reciprocal, std::int32_t shards);
    /// The update itself, from that gradient; `gradient` was an accumulator, if there are any.
    void run(TensorId own, TensorId gradient);

    /// Adds the square of a gradient's norm to those of others on the same way, if there are any.
    TensorId addedSquare(TensorId gradient, TensorId others);
    /// The factor that brings a norm, given by its square, into bounds.
    TensorId clippingFactor(TensorId square, double bound);
    TensorId scaled(TensorId gradient, TensorId factor);

    /// Overwrites the first operand; the result is the operand's new value.
    TensorId inPlace(const std::string& suffix, const std::string& type,
                     const ElementwiseAttributes& function, const std::vector<TensorId>& inputs);
    /// A tensor that outlives the step, on the tiles of the updated one.
    TensorId state(const std::string& prefix, Precision type, StateKind kind = StateKind::Moment);

private:
    TensorId op(const std::string& suffix, const std::string& type, Attributes attributes,
                std::vector<TensorId> inputs, Shape shape, DataType dataType);
    TensorId shard(TensorId gradient, std::int32_t shards);
    TensorId clipped(TensorId gradient);
    TensorId mean(TensorId accumulator, TensorId& reciprocal);
    TensorId scalarState(const std::string& prefix);
    TensorId scalar(const std::string& name, DataType type, double value);
    TensorId unscaled(TensorId gradient);
    TensorId decayed(TensorId gradient, double scaling);
    TensorId momentumStep(TensorId gradient);
    TensorId lookingAhead(TensorId gradient, TensorId velocity);
    TensorId largestSecondMoment(TensorId second);
    TensorId rmspropRoot(TensorId square, TensorId gradient);
    [[nodiscard]] bool hasRateInVelocity() const;
    [[nodiscard]] bool accumulates() const { return options_.batch.gradientAccumulation > 1; }
    /// TensorFlow's formulas differ where PyTorch's and PopART's agree.
    [[nodiscard]] bool isKeras() const {
        return options_.framework == Framework::Keras ||
               options_.framework == Framework::Tensorflow;
    }
    TensorId stepOf(TensorId gradient);
    [[nodiscard]] ElementwiseAttributes lastStep() const;
    TensorId velocity(TensorId gradient, const ElementwiseAttributes& average);
    TensorId adamStep(TensorId gradient);
    TensorId rmspropStep(TensorId gradient);
    TensorId larsGradient(TensorId gradient);
    TensorId larsVelocity(TensorId gradient);
    TensorId squareSum(const std::string& suffix, const std::string& type, TensorId of);
    std::pair<TensorId, TensorId> larsSquares(TensorId gradient);
    TensorId scaledByTrust(TensorId change);
    [[nodiscard]] DataType stateType() const;
    [[nodiscard]] const Shape& updatedShape() const { return graph_.tensors[updated_].shape; }

    Graph& graph_;
    const UpdateOptions& options_;
    const WeightPlace place_;
    std::vector<Op>& ops_;
    const std::string name_;
    const UpdateNumbers numbers_;
    TensorId updated_; ///< the weight, or the replica's shard of it
    TensorId like_;    ///< whose layout the optimizer's state has
    std::int32_t shards_ = 1;
};

} // namespace tilescope::sim
