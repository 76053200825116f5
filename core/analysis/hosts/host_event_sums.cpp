#include "core/analysis/hosts/host_event_sums.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilescope {

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
