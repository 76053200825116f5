#include "core/analysis/hosts/host_record_lanes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilescope {
namespace {

std::int64_t cycleAt(double seconds, double clockHz) {
    constexpr double most = 9007199254740992.0; // 2^53: up to here a double counts single cycles
    return std::llround(std::clamp(seconds * clockHz, -most, most));
}

/// The first row that is free at a cycle, a new one if there may be more.
HostLane* freeRow(std::vector<HostLane>& rows, const std::string& thread, std::int64_t cycle) {
    for (HostLane& row : rows)
        if (row.boxes.back().cycles.end <= cycle)
            return &row;
    if (static_cast<int>(rows.size()) == deepestHostRow)
        return nullptr;
    return &rows.emplace_back(HostLane{thread, {}});
}

} // namespace

std::vector<HostLane> recordLanes(const HostRecord& record, double clockHz) {
    std::vector<std::string> threads;
    std::map<std::string, std::vector<HostLane>> rowsOf;
    for (const HostEvent& event : record.events) {
        const auto [rows, isNew] = rowsOf.try_emplace(event.thread);
        if (isNew)
            threads.push_back(event.thread);
        const std::int64_t begin = cycleAt(event.start, clockHz);
        const std::int64_t end =
            std::max(begin, cycleAt(event.start + event.seconds.value_or(0), clockHz));
        if (HostLane* row = freeRow(rows->second, event.thread, begin))
            row->boxes.push_back({{begin, end},
                                  event.seconds ? HostWork::Tracepoint : HostWork::Moment,
                                  event.name,
                                  1,
                                  true,
                                  event.channel});
    }
    std::vector<HostLane> lanes;
    for (const std::string& thread : threads) {
        std::vector<HostLane>& rows = rowsOf[thread];
        std::move(rows.begin(), rows.end(), std::back_inserter(lanes));
    }
    return lanes;
}

std::int64_t recordedCalls(const HostRecord& record) {
    return std::count_if(record.events.begin(), record.events.end(), [](const HostEvent& event) {
        return event.name == "modelExecution" && event.channel.starts_with("poptorch.");
    });
}

std::vector<HostEventSum> eventSums(const HostRecord& record) {
    std::map<std::tuple<std::string, std::string, std::string, bool>, HostEventSum> sums;
    for (const HostEvent& event : record.events) {
        HostEventSum& sum =
            sums[{event.thread, event.channel, event.name, !event.seconds.has_value()}];
        if (sum.count++ == 0) {
            sum = {event.thread,
                   event.channel,
                   event.name,
                   1,
                   0,
                   0,
                   event.start,
                   !event.seconds.has_value()};
        }
        const double seconds = event.seconds.value_or(0);
        sum.seconds += seconds;
        sum.longest = std::max(sum.longest, seconds);
    }
    std::vector<HostEventSum> list;
    list.reserve(sums.size());
    for (auto& [key, sum] : sums)
        list.push_back(std::move(sum));
    std::stable_sort(list.begin(), list.end(), [](const HostEventSum& a, const HostEventSum& b) {
        return a.seconds > b.seconds;
    });
    return list;
}

} // namespace tilescope
