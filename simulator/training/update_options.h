// The options that weight updates depend on.
#pragma once

#include "core/options/run_options.h"

namespace tilescope::sim {

/// Options of a training graph: its loss, its gradients and their use.
struct UpdateOptions {
    /// Takes them from a run's options.
    UpdateOptions(const RunOptions& all) // NOLINT(google-explicit-constructor)
        : machine(all.machine)
        , batch(all.batch)
        , training(all.training)
        , replication(all.replication)
        , compute(all.compute) {}

    MachineOptions machine;
    BatchOptions batch;
    TrainingOptions training;
    ReplicationOptions replication;
    ComputeOptions compute;
};

} // namespace tilescope::sim
