#include "views/execution/hosts.h"

#include <algorithm>

#include "core/base/damaged_profile.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::shared_ptr<const HostOfProfile> readOne(const ProfileViewPtr& profile,
                                             const std::stop_token& stop) {
    if (!profile || !profile->info().hasExecution)
        return {};
    return std::make_shared<const HostOfProfile>(profile, stop);
}

} // namespace

HostOfProfile::HostOfProfile(ProfileViewPtr profile, const std::stop_token& stop)
    : profile_(std::move(profile)) {
    const auto index = profile_->trace(stop);
    const Target& machine = profile_->machine();
    namingFile(profile_->file().string(), [&] {
        const ProfileReader reader = profile_->reader(stop);
        HostTimeline host(reader.hostSpans(), *index, HostCopies({}, machine, {}, {}), machine);
        const auto record = profile_->hostRecord(stop);
        threads_ = std::make_shared<const HostThreads>(*record, host.clockHz());
        repeated_ = repeatedRuns(*record, *index, profile_->info().cycles, host.clockHz());
        host.addThreads(threads_);
        firstCycle_ = host.firstCycle();
    });
}

std::shared_ptr<const HostTimeline> HostOfProfile::timeline(const std::stop_token& stop) const {
    return timeline_.get([&] {
        const auto index = profile_->trace(stop);
        const auto programs = profile_->programs(stop);
        const auto streams = profile_->streams(stop);
        return namingFile(profile_->file().string(), [&] {
            return HostTimeline(profile_->reader(stop), *index, *programs, *streams, threads_);
        });
    });
}

Hosts readHosts(const ProfilePair& profiles, const std::stop_token& stop) {
    Hosts hosts{readOne(profiles.source, stop), readOne(profiles.target, stop)};
    for (const auto& host : {hosts.source, hosts.target})
        if (host) {
            hosts.firstCycle = std::min(hosts.firstCycle, host->firstCycle());
            hosts.lastCycle = std::max(hosts.lastCycle, host->lastCycle());
        }
    return hosts;
}

std::int64_t stepOfCopy(const ProfileView& profile, std::int64_t cycle,
                        const std::stop_token& stop) {
    const auto index = profile.trace(stop);
    const auto programs = profile.programs(stop);
    for (std::int32_t ipu = 0; ipu < profile.machine().ipus; ++ipu) {
        const std::int64_t at = index->stepAtCycle(IpuId(ipu), cycle);
        if (at < 0)
            continue;
        const ExecutedStep step = index->stepAt(at);
        const bool copies = step.kind == ProgramKind::StreamCopyBegin ||
                            step.kind == ProgramKind::StreamCopyMid ||
                            step.kind == ProgramKind::StreamCopyEnd;
        if (copies)
            return at;
    }
    return -1;
}

} // namespace tilescope::views
