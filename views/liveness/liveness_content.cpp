#include "views/liveness/liveness_content.h"

#include <algorithm>

#include "core/analysis/memory/tile_quantity.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

LivenessSeries seriesOf(const ProfileView& profile, const TileSelection& wanted,
                        const std::stop_token& stop) {
    const TileSelection tiles = fittedTo(profile.machine(), wanted);
    if (!tiles.tile().valid())
        return livenessFromCurve(*profile.livenessCurve(stop), profile.machine(),
                                 *profile.tileMemory(stop), tiles);
    return livenessOf(profile.machine(), *profile.variables(stop), *profile.livenessClasses(stop),
                      profile.steps(stop)->size(), tiles);
}

StepList stepsOf(const ProfileView& profile, const QString& filter, const std::stop_token& stop) {
    StepList list;
    list.names = namesOfSteps(profile, stop);
    for (std::size_t i = 0; i < list.names.size(); ++i)
        if (filter.isEmpty() ||
            QString::fromStdString(list.names[i]).contains(filter, Qt::CaseInsensitive))
            list.shown.emplace_back(i);
    return list;
}

struct Colours {
    QColor always;
    QColor notAlways;
};

void addStack(std::vector<StepArea>& areas, const LivenessSeries& series, const StepList& steps,
              bool includeAlwaysLive, const Colours& colours, const QString& pattern) {
    std::vector<std::int64_t> base(steps.shown.size(), includeAlwaysLive ? series.alwaysLive : 0);
    if (includeAlwaysLive)
        areas.push_back(
            {pattern.arg(Text::tr("Always live")), colours.always, MinMaxPyramid(base)});
    for (std::size_t i = 0; i < base.size(); ++i)
        base[i] += series.notAlwaysLive.at(steps.shown[i].index());
    areas.push_back({pattern.arg(Text::tr("Not always live")), colours.notAlways,
                     MinMaxPyramid(std::move(base))});
}

/// The memory of the tiles in question.
std::optional<PlotWidget::Limit> memoryLimit(const ProfileView& profile,
                                             const LivenessOptions& options) {
    const Target& machine = profile.machine();
    const std::int64_t bytes = machine.bytesPerTile * options.tiles.range(machine).tiles();
    if (!options.limit || bytes <= 0)
        return {};
    return PlotWidget::Limit{static_cast<double>(bytes),
                             Text::tr("Maximum memory: %1")
                                 .arg(QString::fromStdString(formatBytes(bytes, options.units)))};
}

void addLifetime(std::vector<Lifetime>& lifetimes, const ProfileView& profile, VariableId id,
                 const StepList& steps, const QString& pattern, const QColor& colour,
                 const std::stop_token& stop) {
    constexpr int mostIntervals = 6; // of a text that has to be read
    const auto variables = profile.variables(stop);
    if (!id.valid() || id.index() >= variables->size())
        return;
    const Variable& variable = (*variables)[id];
    Lifetime lifetime{pattern.arg(shownName(variable.name)), colour, {}, {}};
    const auto classes = profile.livenessClasses(stop);
    QStringList when;
    if (variable.alwaysLive) {
        lifetime.spans.push_back({0, static_cast<double>(steps.shown.size())});
        when << Text::tr("always live");
    } else if (variable.liveness.valid() && variable.liveness.index() < classes->size()) {
        for (const StepInterval& interval : (*classes)[variable.liveness].intervals) {
            const Lifetime::Span span = steps.placesOf(interval);
            if (span.to > span.from)
                lifetime.spans.push_back(span);
            if (when.size() < mostIntervals)
                when << Text::tr("steps %1 to %2")
                            .arg(interval.first.value())
                            .arg(interval.end.value() - 1);
        }
        const auto all = (*classes)[variable.liveness].intervals.size();
        if (all > mostIntervals)
            when << Text::tr("and %1 more times").arg(all - mostIntervals);
    }
    lifetime.when = when.join(QStringLiteral(", "));
    lifetimes.push_back(std::move(lifetime));
}

} // namespace

int StepList::placeOf(StepId step) const {
    const auto found = std::lower_bound(shown.begin(), shown.end(), step);
    return found != shown.end() && *found == step ? static_cast<int>(found - shown.begin()) : -1;
}

StepId StepList::at(double place) const {
    return place >= 0 && place < static_cast<double>(shown.size())
               ? shown[static_cast<std::size_t>(place)]
               : StepId();
}

Lifetime::Span StepList::placesOf(const StepInterval& interval) const {
    const auto from = std::lower_bound(shown.begin(), shown.end(), interval.first);
    const auto to = std::lower_bound(from, shown.end(), interval.end);
    return {static_cast<double>(from - shown.begin()), static_cast<double>(to - shown.begin())};
}

std::vector<std::string> namesOfSteps(const ProfileView& profile, const std::stop_token& stop) {
    return stepNames(*profile.programs(stop), *profile.steps(stop));
}

LivenessContent livenessContent(const ProfilePair& profiles, const LivenessOptions& options,
                                const Theme& theme, const std::stop_token& stop) {
    constexpr std::size_t fullest = 3;
    LivenessContent content;
    const ProfileView& first = *profiles.source;
    const LivenessSeries source = seriesOf(first, options.tiles, stop);
    content.peak = source.peakStep;
    content.plot.limit = memoryLimit(first, options);
    content.sourceSteps = stepsOf(first, options.filter, stop);
    content.fullestTiles = tilesByMemory(*profiles.source->tileMemory(stop),
                                         {0, first.machine().totalTiles()}, fullest);
    // What varies is the message: what is always there stays in the background.
    const Colours plain{mixed(theme.alwaysLive, theme.surface, 0.35), theme.notAlwaysLive};
    if (!profiles.comparing()) {
        addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive, plain,
                 QStringLiteral("%1"));
        return content;
    }
    content.targetSteps = stepsOf(*profiles.target, options.filter, stop);
    static_cast<void>(profiles.matching->steps(stop)); // made here for whoever marks steps later
    const LivenessSeries target = seriesOf(*profiles.target, options.tiles, stop);
    if (options.apart) {
        addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive, plain,
                 QStringLiteral("%1"));
        addStack(content.target.emplace().areas, target, content.targetSteps,
                 options.includeAlwaysLive, plain, QStringLiteral("%1"));
        content.target->limit = memoryLimit(*profiles.target, options);
        return content;
    }
    content.plot.mode = StepAreaPlottable::Mode::Overlaid;
    addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive,
             {mixed(theme.source, theme.text, 0.35), theme.source}, Text::tr("%1 (source)"));
    addStack(content.plot.areas, target, content.targetSteps, options.includeAlwaysLive,
             {mixed(theme.target, theme.text, 0.35), theme.target}, Text::tr("%1 (target)"));
    return content;
}

std::vector<Lifetime> lifetimes(const ProfilePair& profiles,
                                const std::vector<VariableId>& variables,
                                const StepList& sourceSteps, const StepList& targetSteps,
                                const Theme& theme, const std::stop_token& stop) {
    constexpr std::size_t mostVariables = 8; // more leave no room for the plot
    std::vector<Lifetime> all;
    const auto colour = [&] { return theme.series(static_cast<int>(all.size())); };
    const QString pattern = profiles.comparing() ? Text::tr("%1 (source)") : QStringLiteral("%1");
    for (std::size_t i = 0; i < std::min(mostVariables, variables.size()); ++i)
        addLifetime(all, *profiles.source, variables[i], sourceSteps, pattern, colour(), stop);
    if (!profiles.comparing())
        return all;
    for (const VariableId id : profiles.matching->targetsOf(variables, stop)) {
        if (all.size() >= 2 * mostVariables)
            break;
        addLifetime(all, *profiles.target, id, targetSteps, Text::tr("%1 (target)"), colour(),
                    stop);
    }
    return all;
}

} // namespace tilescope::views
