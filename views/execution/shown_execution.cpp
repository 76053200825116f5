#include "views/execution/shown_execution.h"

#include <algorithm>

namespace tilescope::views {
namespace {

RunChoices choicesOf(const ProfileView& profile, const std::stop_token& stop) {
    return {profile.trace(stop)->runs(), firstStep(profile, stop)};
}

std::optional<CycleRange> usualTargetRange(const ProfilePair& pair, const std::stop_token& stop) {
    if (!pair.comparing() || !pair.source->info().hasExecution || !pair.target->info().hasExecution)
        return {};
    const RunChoices choices = choicesOf(*pair.target, stop);
    return choices.range(choices.usual(pair.target->info().cycles));
}

} // namespace

double ShownExecution::first(bool compilation) const {
    return compilation ? static_cast<double>(hosts.firstCycle()) : 0;
}

double ShownExecution::last(bool compilation) const {
    return compilation ? std::max(cycles, static_cast<double>(hosts.lastCycle())) : cycles;
}

ShownExecution readExecution(const ProfilePair& profiles, const std::stop_token& stop) {
    const ProfileView& shown = *executedOf(profiles);
    return {readHosts(profiles, stop), shown.hostRecord(stop), choicesOf(shown, stop),
            usualTargetRange(profiles, stop), static_cast<double>(traceLength(profiles, stop))};
}

} // namespace tilescope::views
