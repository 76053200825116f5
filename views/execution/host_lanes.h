// The host's lane in the execution trace.
#pragma once

#include <memory>
#include <stop_token>

#include "core/analysis/host_timeline.h"
#include "views/plot/trace/trace_rows.h"
#include "views/session/open_profile.h"

namespace tilescope::views {

/// Of both profiles; none where there is no profile, or where the host is not to be seen.
struct HostTimelines {
    std::shared_ptr<const HostTimeline> source;
    std::shared_ptr<const HostTimeline> target;

    /// The earlier of where both begin, zero or negative.
    [[nodiscard]] std::int64_t firstCycle() const;
};

/// On a worker thread.
HostTimelines readHost(const ProfilePair& profiles, const std::stop_token& stop);

/// Rows of compilation and loading, if they are wanted, of runs, and of stream callbacks, which
/// `copies` of the IPUs in the range are made from. A wait that goes on beyond the range has no
/// steps.
TraceLane hostLane(const HostTimeline& host, std::string name, bool target, bool compilation,
                   std::vector<TraceSpan> copies, CycleRange range);

/// Whether a lane is the host's: it belongs to no IPU.
bool isHost(const TraceLane& lane);

/// The kind in whose pale colour the host's waits are.
inline constexpr ProgramKind hostWaitsKind = ProgramKind::Sync;

/// The step of a stream copy that runs on any IPU at a cycle, or -1.
std::int64_t stepOfCopy(const OpenProfile& profile, std::int64_t cycle,
                        const std::stop_token& stop);

} // namespace tilescope::views
