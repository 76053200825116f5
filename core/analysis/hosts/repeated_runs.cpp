#include "core/analysis/hosts/repeated_runs.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tilescope {
namespace {

/// PopTorch writes the channel in front of the name; older profiles have the name alone.
bool isCall(const HostEvent& event) {
    constexpr std::string_view name = "modelExecution";
    return event.channel.starts_with("poptorch.") &&
           (event.name == name || event.name == event.channel + "." + std::string(name));
}

/// The channel of the call that is nearest to the first run's begin; empty without calls.
std::string_view channelOfCalls(const HostRecord& record) {
    const HostEvent* nearest = nullptr;
    for (const HostEvent& event : record.events)
        if (isCall(event) &&
            (nearest == nullptr || std::abs(event.start) < std::abs(nearest->start)))
            nearest = &event;
    return nearest == nullptr ? std::string_view() : std::string_view(nearest->channel);
}

} // namespace

std::size_t RepeatedRuns::firstFrom(std::int64_t cycle) const {
    const auto first = std::ranges::partition_point(
        starts, [&](std::int64_t start) { return start + run.cycles <= cycle; });
    return static_cast<std::size_t>(first - starts.begin());
}

RepeatedRuns repeatedRuns(const HostRecord& record, const TraceIndex& trace,
                          std::int64_t mainCycles, double clockHz) {
    RepeatedRuns repeated;
    const std::string_view channel = channelOfCalls(record);
    std::int64_t known = 0; // runs of the main program
    for (const TraceRun& run : trace.runs())
        if (run.cycles == mainCycles && run.cycles > 0) {
            repeated.run = run;
            ++known;
        }
    std::int64_t free = trace.totalCycles();
    for (const HostEvent& event : record.events) {
        if (!isCall(event) || event.channel != channel)
            continue;
        if (++repeated.calls <= known || known == 0)
            continue;
        const double cycle = std::max(0.0, event.start * clockHz);
        constexpr double most = 9007199254740992.0; // 2^53: up to here a double counts cycles
        const std::int64_t start =
            std::max<std::int64_t>(free, std::llround(std::min(cycle, most)));
        repeated.starts.push_back(start);
        free = start + repeated.run.cycles;
    }
    return repeated;
}

} // namespace tilescope
