// Runs a prepared graph with values: what the lowered program does, in the same order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/compute/kernels/kernel.h"
#include "simulator/compute/loss_scale.h"
#include "simulator/compute/step_plan.h"
#include "simulator/graph/graph.h"
#include "simulator/options/stage_options.h"

namespace tilescope::sim {

/// A micro-batch of a call of the host: PopTorch's order of a batch is device iterations, then
/// replicas, then micro-batches of an iteration.
struct BatchPlace {
    std::int64_t iteration = 0, replica = 0, microBatch = 0;
};
/// Its index in that order.
std::int64_t indexOf(const BatchPlace& place, const BatchOptions& batch, std::int32_t replicas);

/// A value that an operation has made, and where.
struct MadeValue {
    const Graph& graph; ///< of the operation
    const Op& op;
    std::size_t result; ///< index among the operation's results
    BatchPlace place;
    /// The calls and loops that run the graph, if it is a function, outermost first.
    std::span<const Op* const> calls;
    const TensorData& value;
    /// For a product that is summed in halves: computes it again, with sums in float. Otherwise
    /// empty.
    std::function<TensorData()> inFloatSums;
};

/// Where the values of a model's inputs come from and where its results go.
struct HostPort {
    /// Values of an input for a micro-batch, of the tensor's type and shape.
    std::function<TensorData(const Tensor& input, const BatchPlace& place)> input;
    /// Takes a result of a micro-batch; its elements may be used after the call.
    std::function<void(const Tensor& output, const BatchPlace& place, const TensorData& value)>
        output;
    /// Sees every value that an operation makes; may be empty.
    std::function<void(const Graph& graph, TensorId tensor, const BatchPlace& place,
                       const TensorData& value)>
        watch;
    /// The same with more detail about the place; may be empty.
    std::function<void(const MadeValue& made)> record;
};

/// A graph on its replicas, each with values of its own.
class Machine {
public:
    /// `prepared` must outlive the machine. Weights begin with their values (Tensor::value), state
    /// of the optimizer with zeros. Throws UserError naming a weight without a value.
    /// `partials`: products that are summed in halves.
    Machine(const Graph& prepared, ComputingOptions options, std::uint64_t seed = 0,
            PartialSumsTable partials = {});

    /// One call of the host: all of options.batch.deviceIterations.
    void run(const HostPort& port);

    /// A weight as it is now, of the first replica; a copy of the elements. Throws
    /// std::out_of_range for a name that is not a weight's.
    [[nodiscard]] TensorData weight(const std::string& name) const;
    void setWeight(const std::string& name, const TensorData& value);
    /// The optimizer's state of that name ("Accl1___w") on each replica, which are shards where it
    /// is spread over them; copies of the elements. Throws std::out_of_range for an unknown name.
    [[nodiscard]] std::vector<TensorData> state(const std::string& name) const;
    /// `values` are those of all replicas.
    void setState(const std::string& name, const std::vector<TensorData>& values);
    /// Names of the weights, without the optimizer's state.
    [[nodiscard]] std::vector<std::string> weights() const;
    /// Rates of the updates from now on, initially the options': those of each iteration of a call,
    /// of which the last ones hold for all further iterations. Each has as many as learningRates().
    void setLearningRates(std::vector<std::vector<double>> rates);
    /// The run's rate in the latest iteration.
    [[nodiscard]] double learningRate() const { return presentRates().front(); }
    /// The factor of the loss's gradient: constant unless options.compute.automaticLossScaling.
    [[nodiscard]] double lossScale() const { return lossScale_.value(); }

private:
    /// Values of a graph's tensors, where they exist.
    class Values {
    public:
        explicit Values(std::size_t tensors)
            : values_(tensors) {}
        TensorData& operator[](TensorId id) { return values_[id.index()]; }
        const TensorData& operator[](TensorId id) const { return values_[id.index()]; }

    private:
        std::vector<TensorData> values_;
    };
    /// A graph while it is executed, the outermost or a function's: values by replica.
    struct Frame {
        const Graph* graph;
        std::vector<Values> values;
        /// For a call: the sequences of random numbers that its operations draw from, in order.
        std::vector<std::int32_t> streams = {};
        std::size_t nextStream = 0;
        std::vector<const Op*> calls = {}; ///< those that run it, outermost first
        FunctionIndex function = {};       ///< none: the outermost
    };
    static std::vector<std::int32_t> streamsOf(Frame& frame, const Op& op);
    using RowKey = std::pair<std::int32_t, std::int32_t>; ///< buffer, row

    void start();
    void startRemote(const Tensor& landing, const RemoteLoadAttributes& load);
    [[nodiscard]] TensorData initialValue(const Tensor& tensor) const;
    [[nodiscard]] TensorId stateNamed(const std::string& name) const;
    [[nodiscard]] const std::vector<double>& presentRates() const;
    [[nodiscard]] const PartialSums* partialsOf(const Frame& frame, const Op& op) const;

    void runSlot(const ScheduleSlot& slot);
    void runSection(SectionId id);
    void copyBetweenIpus(const Section& copies);
    [[nodiscard]] BatchPlace placeOf(std::size_t replica, std::int64_t microBatch) const;
    void bindInputs(SectionId program);
    void sendOutputs(SectionId program);

    void endIteration();
    void runOps(Frame& frame, const Section& section, std::int64_t microBatch);
    void runOp(Frame& frame, const PlannedOp& planned, std::int64_t microBatch);
    void runKernelOn(Frame& frame, const PlannedOp& planned, const ComputePlace& place);
    [[nodiscard]] Frame called(Frame& frame, const Op& op, std::int32_t function);
    void runCall(Frame& frame, const Op& op, std::int64_t microBatch);
    void runLoop(Frame& frame, const Op& op, const LoopAttributes& loop, std::int64_t microBatch);
    void runCollective(Frame& frame, const Op& op, const CollectiveAttributes& collective);
    static TensorData shardOf(const TensorData& whole, const Tensor& shard, std::int64_t index);
    void runMovement(Frame& frame, const Op& op, std::int64_t replica);
    void watch(const Frame& frame, const Op& op, std::int64_t replica, std::int64_t microBatch);
    [[nodiscard]] std::function<TensorData()>
    inFloatSums(const Frame& frame, const Op& op, const BatchPlace& place, std::size_t result);

    const Graph& graph_;
    const ComputingOptions options_;
    const std::uint64_t seed_;
    const StepPlan plan_;
    const PartialSumsTable partials_;
    const HostPort* port_ = nullptr;
    Frame top_;
    /// Rows by replica: of stashes by their buffer, of FIFOs by their result.
    std::vector<std::map<TensorId, std::deque<TensorData>>> waiting_, fifos_;
    std::vector<std::map<RowKey, TensorData>> remote_; ///< by replica
    std::map<std::string, RowKey> remoteWeights_, remoteStates_;
    std::vector<std::int64_t> executed_; ///< micro-batches of an iteration so far, by section
    ComputeContext context_;
    /// By iteration: the run's, then those of groups.
    std::vector<std::vector<double>> learningRates_;
    LossScale lossScale_;
    std::int64_t iteration_ = 0, calls_ = 0, executions_ = 0;
};

} // namespace tilescope::sim
