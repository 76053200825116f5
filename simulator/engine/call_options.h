// The options that a call of the engine depends on.
#pragma once

#include "core/options/run_options.h"

namespace tilescope::sim {

/// Options of a call: the host's work for it and how it feeds the machine.
struct CallOptions {
    CallOptions() = default;
    /// Takes them from a run's options.
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

} // namespace tilescope::sim
