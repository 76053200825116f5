// Notes on options that are given but have no effect alongside the others.
#include <fmt/format.h>

#include "core/options/option_notes.h"

#include "core/options/optimizer_numbers.h"
#include "core/options/run_options.h"

namespace tilescope {

std::vector<OptionNote> optionNotes(const RunOptions& options) {
    std::vector<OptionNote> notes;
    const auto note = [&](bool unused, const char* option, const char* why) {
        if (unused)
            notes.push_back({true, fmt::format("option {} has no effect: {}", option, why)});
    };
    const bool alone = options.isTraining() && options.batch.gradientAccumulation == 1;
    const char* noAccumulator = "with --gradient-accumulation 1 there is no accumulator";
    note(alone && options.replication.replicas == 1 &&
             options.training.accumulationReduction != Reduction::Sum,
         "accumulationReduction", noAccumulator);
    note(alone && options.training.accumulationType != Precision::Float, "accumulationType",
         noAccumulator);
    note(options.training.optimizer == Optimizer::Sgd &&
             options.training.optimizerStateType != Precision::Float,
         "optimizerStateType", "SGD without momentum keeps no state");
    for (const IdleNumber& idle : idleOptimizerNumbers(options.training))
        note(options.isTraining(), idle.option, idle.why);
    const char* group = "distributedBatchNormReplicaGroupSize";
    const bool shares = options.replication.distributedBatchNormReplicaGroupSize > 1;
    note(shares && !options.isTraining(), group,
         "inference normalises with the statistics from training");
    note(shares && options.isTraining() && options.replication.replicas == 1, group,
         "a single replica has no others to share statistics with");
    note(options.execution.schedule == Schedule::Interleaved && !options.isTraining(), "schedule",
         "without a backward pass, interleaved is the same as grouped");
    note(options.host.instances > 1 && options.host.hostRate == 0, "instances",
         "without --host-rate an instance prepares samples without limit");
    const auto prefetch = options.engine.given.find("exchange.enablePrefetch");
    note(options.host.prefetchDepth > 1 && prefetch != options.engine.given.end() &&
             prefetch->second == "false",
         "prefetchDepth", "the engine option exchange.enablePrefetch is false");
    return notes;
}

} // namespace tilescope
