// The options of a run, by the stages that read them. A stage takes its groups, not all of them.
#pragma once

#include <cstdint>

#include "core/options/batch_options.h"
#include "core/options/compute_options.h"
#include "core/options/engine_options.h"
#include "core/options/execution_options.h"
#include "core/options/host_options.h"
#include "core/options/machine_options.h"
#include "core/options/memory_options.h"
#include "core/options/model_options.h"
#include "core/options/outline_options.h"
#include "core/options/planning_options.h"
#include "core/options/replication_options.h"
#include "core/options/training_options.h"

namespace tilescope {

/// Options of `tilescope run`. Defaults are those of PopART and PopLibs where they have one.
struct RunOptions {
    MachineOptions machine;
    BatchOptions batch;
    ModelOptions model;
    PlanningOptions planning;
    MemoryOptions memory;
    ExecutionOptions execution;
    OutlineOptions outline;
    TrainingOptions training;
    ReplicationOptions replication;
    HostOptions host;
    EngineOptions engine;
    ComputeOptions compute; ///< of values

    [[nodiscard]] bool isTraining() const { return batch.isTraining(); }
    friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

/// Checks that options fit together (tiles within the target, proportions within 0 and 1, ...).
/// Throws OptionError.
void validate(const RunOptions& options);

/// The same options with stepsPerExecution converted to deviceIterations. They must be valid.
RunOptions withDeviceIterations(RunOptions options);

} // namespace tilescope
