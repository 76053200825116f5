// Bulk-synchronous timing: when each step of the program starts and ends on each IPU.
#pragma once

#include "core/profile/profile.h"
#include "simulator/engine/host_model.h"
#include "simulator/options/stage_options.h"

namespace tilescope::sim {

/// How the machine talks to its host.
struct Feeding {
    HostPace pace;
    std::int32_t ioTiles =
        0;                 ///< the last tiles of each IPU, which only exchange data with the host
    bool overlaps = false; ///< stream copies of I/O tiles run beside what other tiles do
};

/// What options and model say; `microBatch` in samples.
Feeding feedingOf(const CallOptions& options, const Target& target, std::int64_t microBatch);

/// Times every control program once. Each compute set and exchange starts with a sync of the
/// tiles; the one takes as long as its slowest tile, the other as its busiest; a stream copy waits
/// for the host (Begin), moves its bytes over the host link (Mid) and syncs again (End). Bodies of
/// repeats and functions are timed once, however often they run.
///
/// Where the host does not answer every request alike (see host_model.h), the repetitions of a body
/// differ in the waits of its input streams: runs of equal repetitions share a body and are one
/// call each, and a recurring pattern is a body of its own. Repetitions are followed one by one
/// only until they are alike, drift evenly or recur; where none of these happens within a thousand
/// repetitions, the rest is taken to be like the last.
///
/// Where stream copies of I/O tiles overlap, they have a clock of their own on each IPU; an
/// exchange between I/O tiles and others, a global exchange and the end of a body wait for both.
Trace timeProgram(const Profile& profile, const Target& target, const Feeding& feeding);
/// With a host that answers every request after its latency.
Trace timeProgram(const Profile& profile, const Target& target);

} // namespace tilescope::sim
