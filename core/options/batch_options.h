// How much one call of a program processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilescope {

struct BatchOptions {
    std::string mode = "inference";
    std::optional<std::int64_t> batchSize; ///< micro-batch; none: the model's own, or 1
    std::int64_t gradientAccumulation = 1; ///< micro-batches of one weight update
    std::int64_t deviceIterations = 1;
    /// Keras' count of a call's batches, over all replicas and micro-batches; 0: deviceIterations
    /// says how many there are.
    std::int64_t stepsPerExecution = 0;

    [[nodiscard]] bool isTraining() const { return mode == "training"; }
    /// Micro-batches of one weight update, one in inference.
    [[nodiscard]] std::int64_t microBatchesOfUpdate() const {
        return isTraining() ? gradientAccumulation : 1;
    }
    /// Micro-batches between a pipeline's ramp-up and its ramp-down.
    [[nodiscard]] std::int64_t microBatchesOfPipeline() const {
        return isTraining() ? gradientAccumulation : deviceIterations;
    }
    /// Micro-batches of a replica in one call that each return a result.
    [[nodiscard]] std::int64_t microBatchesOfCall() const {
        return deviceIterations * microBatchesOfUpdate();
    }
    friend bool operator==(const BatchOptions&, const BatchOptions&) = default;
};

} // namespace tilescope
