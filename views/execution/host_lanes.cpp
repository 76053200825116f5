#include "views/execution/host_lanes.h"

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

std::string nameOf(const HostBox& box) {
    switch (box.work) {
    case HostWork::IpuWaits:
        return box.name.empty()
                   ? Text::tr("IPU waits for host").toStdString()
                   : Text::tr("IPU waits for host: %1").arg(shownName(box.name)).toStdString();
    case HostWork::HostWaits:
        return Text::tr("Host waits for IPU").toStdString();
    case HostWork::Callback:
        return box.name.empty() ? Text::tr("Stream copies").toStdString() : box.name;
    default:
        return box.name;
    }
}

// Runs and phases are grey, as runs of an IPU are; data that moves and waits for it have the
// colours of their steps on the IPU.
TraceBox boxOf(const HostBox& box) {
    TraceBox result{box.cycles.begin, box.cycles.end, ProgramKind::Sequence, TraceBox::Look::Run, 0,
                    box.steps,        nameOf(box)};
    switch (box.work) {
    case HostWork::Compilation:
    case HostWork::Call:
    case HostWork::Run:
    case HostWork::Tracepoint:
        break;
    case HostWork::Moment:
        result.look = TraceBox::Look::Group;
        result.kind = ProgramKind::StreamCopyBegin;
        result.end = result.begin + 1; // so that a pixel of it is seen
        break;
    case HostWork::Loading:
        result.look = TraceBox::Look::Group;
        result.kind = ProgramKind::StreamCopyMid;
        break;
    case HostWork::Callback:
        result.look = TraceBox::Look::Step;
        result.kind = ProgramKind::StreamCopyMid;
        break;
    case HostWork::IpuWaits:
        result.look = TraceBox::Look::Step;
        result.kind = ProgramKind::StreamCopyBegin;
        break;
    case HostWork::HostWaits:
        result.look = TraceBox::Look::Group;
        result.kind = hostWaitsKind;
        result.steps = box.whole ? 1 : 0;
        break;
    }
    return result;
}

void addRow(TraceLane& lane, const QString& name, const std::vector<const HostLane*>& of) {
    TraceRow row;
    for (const HostLane* part : of)
        std::transform(part->boxes.begin(), part->boxes.end(), std::back_inserter(row.boxes),
                       boxOf);
    lane.rows.push_back(std::move(row));
    lane.rowNames.push_back(name.toStdString());
}

} // namespace

HostOfProfile::HostOfProfile(ProfileViewPtr profile, const std::stop_token& stop)
    : profile_(std::move(profile)) {
    const auto index = profile_->trace(stop);
    const Target& machine = profile_->machine();
    namingFile(profile_->file().string(), [&] {
        const ProfileReader reader = profile_->reader(stop);
        HostTimeline host(reader.hostSpans(), *index, HostCopies({}, machine, {}, {}), machine);
        host.addRecord(reader.hostRecord());
        firstCycle_ = host.firstCycle();
        lastCycle_ = host.lastCycle();
    });
}

std::shared_ptr<const HostTimeline> HostOfProfile::timeline(const std::stop_token& stop) const {
    return timeline_.get([&] {
        const auto index = profile_->trace(stop);
        const auto programs = profile_->programs(stop);
        const auto streams = profile_->streams(stop);
        return namingFile(profile_->file().string(), [&] {
            return HostTimeline(profile_->reader(stop), *index, *programs, *streams);
        });
    });
}

std::int64_t Hosts::firstCycle() const {
    std::int64_t first = 0;
    for (const auto& host : {source, target})
        if (host)
            first = std::min(first, host->firstCycle());
    return first;
}

std::int64_t Hosts::lastCycle() const {
    std::int64_t last = 0;
    for (const auto& host : {source, target})
        if (host)
            last = std::max(last, host->lastCycle());
    return last;
}

Hosts readHosts(const ProfilePair& profiles, const std::stop_token& stop) {
    return {readOne(profiles.source, stop), readOne(profiles.target, stop)};
}

TraceLane hostLane(const HostTimeline& host, const HostLaneQuestion& question,
                   std::vector<TraceSpan> copies) {
    TraceLane lane{question.name, question.target, -1, {}};
    if (question.compilation) {
        std::vector<const HostLane*> before;
        for (const HostLane& part : host.before())
            before.push_back(&part);
        addRow(lane, Text::tr("Compilation"), before);
    }
    const HostLane engine = host.engine();
    addRow(lane, Text::tr("Engine"), {&engine});
    if (!host.copies().empty() && host.copies().known()) {
        const HostLane callbacks = host.callbacks(std::move(copies), question.range);
        addRow(lane, Text::tr("Callbacks"), {&callbacks});
    }
    const std::string* thread = nullptr; // named once, before what is within its tracepoints
    for (const HostLane& recorded : host.recorded()) {
        const bool isNew = thread == nullptr || *thread != recorded.name;
        addRow(lane, isNew ? shownName(recorded.name) : QString(), {&recorded});
        thread = &recorded.name;
    }
    return lane;
}

bool isHost(const TraceLane& lane) {
    return lane.ipu < 0;
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
