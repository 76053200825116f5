// The options that lowering depends on.
#pragma once

#include "core/options/run_options.h"
#include "simulator/planner/compute_tiles.h"

namespace tilescope::sim {

/// Options of how a program is lowered.
struct LoweringOptions {
    /// Takes them from a run's options.
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

} // namespace tilescope::sim
