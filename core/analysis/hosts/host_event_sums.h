// What the user's program recorded about itself, in sums.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/host_record.h"

namespace tilescope {

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
