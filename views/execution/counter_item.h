// Counters in the execution trace.
#pragma once

#include <map>

#include "core/analysis/counters/counter_columns.h"
#include "views/execution/trace_item.h"

namespace tilescope::views {

/// Adds each of counterTracks() for a profile with an execution.
void addCounters(TraceItems& items, const TraceQuestion& question, bool target);

/// Figures that several counters are made of, read once for all that read the same detail.
class CounterCache {
public:
    const CounterColumns& of(const ProfileView& profile, const IpuSet& ipus,
                             const ItemDetail& detail, const std::stop_token& stop);

private:
    std::map<const ProfileView*, CounterColumns> columns_;
};

} // namespace tilescope::views
