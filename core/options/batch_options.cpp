#include "core/options/batch_options.h"

#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf batch(OptionTopic::BatchAndRun, &RunOptions::batch);

OptionSpec modeRow() {
    return batch.own(
        "mode", OptionSpec::Type::Choice, "what the model is compiled for",
        [](const OptionSpec& self, BatchOptions& options, const std::string& value) {
            options.mode = choiceValue(self, value);
        },
        [](const BatchOptions& options) { return options.mode; }, {"inference", "training"});
}

/// Keras counts steps over replicas and micro-batches (the IPU's Keras extensions raise an error
/// where they do not divide).
void checkSteps(const RunOptions& options) {
    const std::int64_t steps = options.batch.stepsPerExecution;
    if (steps == 0)
        return;
    const std::int32_t replicas = options.replication.replicas;
    const std::int64_t accumulation = options.batch.microBatchesOfUpdate();
    const std::int64_t of = replicas * accumulation;
    if (steps % of != 0)
        throw OptionError(
            "stepsPerExecution",
            fmt::format("{} is not a multiple of {}: {} replica{} take{} as many micro-batches"
                        " each{}; choose {} or another multiple",
                        steps, of, replicas, replicas == 1 ? "" : "s", replicas == 1 ? "s" : "",
                        accumulation > 1 ? fmt::format(", {} for a weight update", accumulation)
                                         : std::string(),
                        (steps / of + 1) * of));
    const std::int64_t iterations = options.batch.deviceIterations;
    refuse(iterations != 1 && iterations != steps / of, "deviceIterations",
           fmt::format("--steps-per-execution {} makes {} of them; leave one of the two out", steps,
                       steps / of));
}

} // namespace

std::vector<OptionSpec> batchRows() {
    // A tile of memory holds fewer bytes than this; a larger batch is a mistake.
    constexpr double mostSamples = 1'000'000;
    return {
        modeRow(),
        batch.maybeInteger("batchSize", &BatchOptions::batchSize, {1, mostSamples},
                           "samples per micro-batch; by default the model's own, or 1"),
        batch
            .integer("gradientAccumulation", &BatchOptions::gradientAccumulation,
                     {1, limits::mostIterations}, "micro-batches per weight update")
            .knownAs({{Face::PopTorch, "Training.gradientAccumulation"},
                      {Face::Keras, "gradient_accumulation_steps_per_replica"}})
            .needing([](const RunOptions& options) { return options.isTraining(); },
                     "gradients are accumulated in training only; add --mode training, or use "
                     "--device-iterations"),
        batch
            .integer("deviceIterations", &BatchOptions::deviceIterations,
                     {1, limits::mostIterations}, "batches that one run processes")
            .knownAs({{Face::PopTorch, "deviceIterations"}}),
        batch
            .integer("stepsPerExecution", &BatchOptions::stepsPerExecution,
                     {1, limits::mostIterations},
                     "Keras' counterpart of --device-iterations: micro-batches of one run over all "
                     "replicas, with --framework keras")
            .knownAs({{Face::Keras, "steps_per_execution"}})
            .needing(
                [](const RunOptions& options) {
                    return options.host.framework == Framework::Keras ||
                           options.host.framework == Framework::Tensorflow;
                },
                "only Keras counts this way; add --framework keras, or give --device-iterations"),
    };
}

void checkBatch(const RunOptions& options) {
    const BatchOptions& batch = options.batch;
    refuse(batch.batchSize && *batch.batchSize < 1, "batchSize", "a batch has at least one sample");
    refuse(batch.deviceIterations < 1, "deviceIterations", "a run has at least one iteration");
    checkSteps(options);
}

RunOptions withDeviceIterations(RunOptions options) {
    BatchOptions& batch = options.batch;
    if (batch.stepsPerExecution > 0)
        batch.deviceIterations =
            batch.stepsPerExecution / (options.replication.replicas * batch.microBatchesOfUpdate());
    return options;
}

} // namespace tilescope
