#include "views/execution/shown_execution.h"

#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/text.h"

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

QStringList RunChoices::names() const {
    QStringList names{Text::tr("All")};
    for (const TraceRun& run : runs)
        names.append(shownName(run.name));
    if (firstStep)
        names.append(Text::tr("First of %1 steps").arg(countText(firstStep->count)));
    return names;
}

int RunChoices::usual(std::int64_t cycles) const {
    if (firstStep)
        return static_cast<int>(runs.size()) + 1;
    const auto main = std::find_if(runs.begin(), runs.end(),
                                   [cycles](const TraceRun& run) { return run.cycles == cycles; });
    return main == runs.end() ? 0 : static_cast<int>(main - runs.begin()) + 1;
}

std::optional<CycleRange> RunChoices::range(int choice) const {
    if (choice <= 0)
        return {};
    const auto at = static_cast<std::size_t>(choice) - 1;
    if (at < runs.size())
        return CycleRange{runs[at].start, runs[at].start + runs[at].cycles};
    return firstStep ? std::optional(firstStep->range) : std::nullopt;
}

double ShownExecution::first(bool compilation) const {
    return compilation || cycles <= 0 ? static_cast<double>(hosts.firstCycle) : 0;
}

double ShownExecution::last(bool compilation) const {
    // Traces of the host alone have no execution.
    return compilation || cycles <= 0 ? std::max(cycles, static_cast<double>(hosts.lastCycle))
                                      : cycles;
}

ShownExecution onAxis(ShownExecution execution, const TraceAxis& axis) {
    if (!axis.aligned())
        return execution;
    for (TraceRun& run : execution.runs.runs) {
        const CycleRange places = axis.placesOf({run.start, run.start + run.cycles}, false);
        run.start = places.begin;
        run.cycles = places.cycles();
    }
    if (auto& first = execution.runs.firstStep)
        first->range = axis.placesOf(first->range, false);
    if (execution.targetRange)
        execution.targetRange = axis.placesOf(*execution.targetRange, true);
    execution.cycles = axis.end(execution.cycles);
    return execution;
}

TraceFlag onAxis(const TraceFlag& mark, const TraceAxis& axis) {
    if (!axis.aligned())
        return mark;
    const auto begin = static_cast<std::int64_t>(mark.cycle);
    const CycleRange places =
        axis.placesOf({begin, begin + static_cast<std::int64_t>(mark.length)}, false);
    return {static_cast<double>(places.begin), mark.text, static_cast<double>(places.cycles())};
}

ShownExecution readExecution(const ProfilePair& profiles, const std::stop_token& stop) {
    const ProfileView& shown = *executedOf(profiles);
    const auto piped = [&](const ProfileViewPtr& profile) {
        return profile && microBatchesOf(*profile, stop)->count() > 0;
    };
    return {readHosts(profiles, stop),
            shown.hostRecord(stop),
            choicesOf(shown, stop),
            usualTargetRange(profiles, stop),
            static_cast<double>(traceLength(profiles, stop)),
            piped(profiles.source) || piped(profiles.target)};
}

} // namespace tilescope::views
