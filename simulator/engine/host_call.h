// What the host does for one call of Engine::run, beside the time of the machine.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/engine/call_options.h"

namespace tilescope::sim {

/// A part of a call, named for a lane of the host.
struct HostCallPart {
    std::string name; ///< "popart step"
    double seconds = 0;
};

/// The parts of a call in order: what the framework does in a step, the streams that it connects,
/// the call itself, and results that are copied to where the program wants them. All are *assumed*
/// constants of the target (constants.def) times counts that are known: streams are those of the
/// model's inputs and results, results those that outputMode returns, of all replicas of a host
/// instance. streamCallbacks.multiThreadMode shares streams and copies among threads: one for
/// each stream where they are dedicated, as many as streamCallbacks.numWorkerThreads says where
/// they collaborate.
///
/// The IPU Model's host answers at once, and a list of operations has no framework: none.
std::vector<HostCallPart> hostCall(const Profile& profile, const CallOptions& options,
                                   const Target& target);

} // namespace tilescope::sim
