// The options of each stage: which groups of a run's options it reads.
#pragma once

#include "core/options/run_options.h"
#include "simulator/planner/compute_tiles.h"

namespace tilescope::sim {

/// Options of a training graph: its loss, its gradients and their use.
struct UpdateOptions {
    UpdateOptions(const RunOptions& all) // NOLINT(google-explicit-constructor)
        : machine(all.machine)
        , batch(all.batch)
        , training(all.training)
        , replication(all.replication)
        , compute(all.compute)
        , framework(all.host.framework) {}

    MachineOptions machine;
    BatchOptions batch;
    TrainingOptions training;
    ReplicationOptions replication;
    ComputeOptions compute;
    Framework framework; ///< whose formulas update the weights
};

/// Options of how a program is lowered.
struct LoweringOptions {
    LoweringOptions(const RunOptions& all) // NOLINT(google-explicit-constructor)
        : machine(all.machine)
        , computing(computeTarget(all.machine))
        , batch(all.batch)
        , planning(all.planning)
        , memory(all.memory)
        , execution(all.execution)
        , replication(all.replication)
        , host(all.host)
        , engine(all.engine) {}

    MachineOptions machine;
    Target computing; ///< without the tiles that are set aside for transfers with the host
    BatchOptions batch;
    PlanningOptions planning;
    MemoryOptions memory;
    ExecutionOptions execution;
    ReplicationOptions replication;
    HostOptions host;
    EngineOptions engine;
};

/// Options of a call of the engine: the host's work for it and how it feeds the machine.
struct CallOptions {
    CallOptions() = default;
    CallOptions(const RunOptions& all) // NOLINT(google-explicit-constructor)
        : machine(all.machine)
        , batch(all.batch)
        , replication(all.replication)
        , host(all.host)
        , engine(all.engine) {}

    MachineOptions machine;
    BatchOptions batch;
    ReplicationOptions replication;
    HostOptions host;
    EngineOptions engine;
};

/// Options of the machine that computes values.
struct ComputingOptions {
    ComputingOptions(const RunOptions& all) // NOLINT(google-explicit-constructor)
        : batch(all.batch)
        , execution(all.execution)
        , training(all.training)
        , replication(all.replication)
        , host(all.host)
        , compute(all.compute) {}

    BatchOptions batch;
    ExecutionOptions execution;
    TrainingOptions training;
    ReplicationOptions replication;
    HostOptions host;
    ComputeOptions compute;
};

} // namespace tilescope::sim
