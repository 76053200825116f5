// The host's work for one call of Engine::run, in addition to the time of the machine.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/options/stage_options.h"

namespace tilescope::sim {

/// A part of a call, named for a lane of the host.
struct HostCallPart {
    std::string name; ///< "popart step"
    double seconds = 0;
};

/// The parts of a call in order: the framework's work for a step, connecting streams, the call
/// itself, and copying results to the program's memory. All are *assumed* constants of the target
/// (constants.def) times known counts: streams are those of the model's inputs and results, results
/// those that outputMode returns, of all replicas of a host instance.
/// streamCallbacks.multiThreadMode shares streams and copies among threads: one for each stream
/// where they are dedicated, streamCallbacks.numWorkerThreads where they collaborate.
///
/// None for the IPU Model, whose host answers at once, and for a list of operations, which has no
/// framework.
std::vector<HostCallPart> hostCall(const Profile& profile, const CallOptions& options,
                                   const Target& target);

} // namespace tilescope::sim
