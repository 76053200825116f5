// What the user's program recorded about itself, on the time axis of the IPUs and in sums.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/hosts/host_timeline.h"
#include "core/profile/host_record.h"

namespace tilescope {

/// Maximum depth at which nested tracepoints are shown.
inline constexpr int deepestHostRow = 12;

/// Rows of boxes by thread, in the order of their first events, which carry the thread's name; a
/// tracepoint within another one is in a row of the same name below it. A moment is a box of no
/// cycles.
std::vector<HostLane> recordLanes(const HostRecord& record, double clockHz);

/// How often a PopTorch program called a model: tracepoints "modelExecution" of PopTorch's
/// channels.
std::int64_t recordedCalls(const HostRecord& record);

/// All tracepoints of a name.
struct HostEventSum {
    std::string thread, channel, name;
    std::int64_t count = 0;
    double seconds = 0, longest = 0;
    double firstStart = 0;
    bool isMoment = false;
};
/// By thread, channel and name, the most time first.
std::vector<HostEventSum> eventSums(const HostRecord& record);

} // namespace tilescope
