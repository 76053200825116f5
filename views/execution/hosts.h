// The host of an execution.
#pragma once

#include <algorithm>
#include <memory>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/hosts/host_timeline.h"
#include "core/analysis/hosts/repeated_runs.h"

namespace tilescope::views {

/// The host of an execution. Where it begins is known at once; its stream copies, which take a
/// tenth of a second in a long trace, are read when they are first asked for. Safe for several
/// threads.
class HostOfProfile {
public:
    /// Reads what was before the first run, and what the program recorded.
    HostOfProfile(ProfileViewPtr profile, const std::stop_token& stop);

    [[nodiscard]] std::int64_t firstCycle() const { return firstCycle_; }
    /// Where the program's last tracepoint or the last repeated run ends, or 0.
    [[nodiscard]] std::int64_t lastCycle() const {
        return std::max(threads_->lastCycle(), repeated_.lastCycle());
    }
    [[nodiscard]] std::shared_ptr<const HostTimeline> timeline(const std::stop_token& stop) const;
    [[nodiscard]] const HostThreads& threads() const { return *threads_; }
    /// Calls that the host recorded beyond those of the trace.
    [[nodiscard]] const RepeatedRuns& repeated() const { return repeated_; }

private:
    ProfileViewPtr profile_;
    std::int64_t firstCycle_ = 0;
    std::shared_ptr<const HostThreads> threads_;
    RepeatedRuns repeated_;
    LazyPart<HostTimeline> timeline_;
};

/// The hosts of both profiles; null without an execution, or if the host cannot be shown.
struct Hosts {
    std::shared_ptr<const HostOfProfile> source;
    std::shared_ptr<const HostOfProfile> target;
    std::int64_t firstCycle = 0; ///< the earlier begin of the two, zero or negative
    std::int64_t lastCycle = 0;  ///< the later end of the two
};

/// On a worker thread.
Hosts readHosts(const ProfilePair& profiles, const std::stop_token& stop);

/// The host's waits have the pale colour of this kind.
inline constexpr ProgramKind hostWaitsKind = ProgramKind::Sync;

/// The step of a stream copy that runs on any IPU at a cycle, or -1.
std::int64_t stepOfCopy(const ProfileView& profile, std::int64_t cycle,
                        const std::stop_token& stop);

} // namespace tilescope::views
