#include "views/liveness/liveness_content.h"

#include <algorithm>

#include "core/analysis/insights/loss_programs.h"
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

StepList stepsOf(const ProfileView& profile, const LivenessOptions& options,
                 const std::stop_token& stop) {
    StepList list;
    const QString& filter = options.filter;
    const auto steps = profile.steps(stop);
    const std::optional<LossPrograms> counted =
        options.loss ? std::optional(programsOf(*options.loss, profile, stop)) : std::nullopt;
    list.names = namesOfSteps(profile, stop);
    for (std::size_t i = 0; i < list.names.size(); ++i)
        if ((filter.isEmpty() ||
             QString::fromStdString(list.names[i]).contains(filter, Qt::CaseInsensitive)) &&
            (!counted || counted->counts((*steps)[StepId(i)])))
            list.shown.emplace_back(i);
    return list;
}

struct Look {
    QColor always;
    QColor notAlways;
    QString pattern = QStringLiteral("%1"); ///< of the names
    bool filled = true;
    std::int64_t limit = 0; ///< bytes above it are too much
};

void addStack(std::vector<StepArea>& areas, const LivenessSeries& series, const StepList& steps,
              bool includeAlwaysLive, const Look& look) {
    std::vector<std::int64_t> base(steps.length(), MinMaxPyramid::none);
    // At the places of the other's steps memory keeps its last value.
    const auto held = [&base] {
        std::vector<std::int64_t> values(base.size(), MinMaxPyramid::none);
        for (std::size_t i = 1; i < base.size(); ++i)
            if (base[i] == MinMaxPyramid::none)
                values[i] = base[i - 1] == MinMaxPyramid::none ? values[i - 1] : base[i - 1];
        return MinMaxPyramid(std::move(values));
    };
    const auto at = [&](std::size_t i) -> std::int64_t& {
        return base[static_cast<std::size_t>(steps.placeAt(i))];
    };
    for (std::size_t i = 0; i < steps.shown.size(); ++i)
        at(i) = includeAlwaysLive ? series.alwaysLive : 0;
    if (includeAlwaysLive)
        areas.push_back({look.pattern.arg(Text::tr("Always live")), look.always,
                         MinMaxPyramid(base), 0, look.filled, false, held()});
    for (std::size_t i = 0; i < steps.shown.size(); ++i)
        at(i) += series.notAlwaysLive.at(steps.shown[i].index());
    // Without always-live bytes the height is not the memory in use.
    areas.push_back({look.pattern.arg(Text::tr("Not always live")), look.notAlways,
                     MinMaxPyramid(base), includeAlwaysLive ? look.limit : 0, look.filled,
                     includeAlwaysLive, held(),
                     includeAlwaysLive ? look.pattern.arg(Text::tr("Total")) : QString()});
}

/// Puts the shown steps of both on one axis, the same operations at one place.
bool align(const ProfilePair& profiles, StepsAlign wanted, StepList& source, StepList& target,
           const std::stop_token& stop) {
    if (wanted == StepsAlign::Steps)
        return false;
    const StepKeys keys = stepKeys(profiles, stop);
    const auto ofShown = [](const std::vector<std::int32_t>& all, const StepList& list) {
        std::vector<std::int32_t> found;
        for (const StepId step : list.shown)
            found.push_back(all.at(step.index()));
        return found;
    };
    StepAlignment aligned = alignSteps(ofShown(keys.source, source), ofShown(keys.target, target));
    if (wanted == StepsAlign::AsFits && !aligned.mostlyMatched())
        return false;
    source.places = std::move(aligned.source);
    target.places = std::move(aligned.target);
    return true;
}

/// The memory of the tiles in question.
std::optional<PlotWidget::Limit> memoryLimit(const ProfileView& profile,
                                             const LivenessOptions& options) {
    const Target& machine = profile.machine();
    const std::int64_t bytes =
        machine.bytesPerTile * fittedTo(machine, options.tiles).range(machine).tiles();
    if (!options.limit || bytes <= 0)
        return {};
    return PlotWidget::Limit{static_cast<double>(bytes),
                             Text::tr("Maximum memory: %1")
                                 .arg(QString::fromStdString(formatBytes(bytes, options.units)))};
}

void addLifetime(std::vector<Lifetime>& lifetimes, const ProfileView& profile, VariableId id,
                 const StepList& steps, const QString& pattern, const QColor& colour,
                 const std::stop_token& stop) {
    constexpr int mostIntervals = 6; // more would not be read
    const auto variables = profile.variables(stop);
    if (!id.valid() || id.index() >= variables->size())
        return;
    const Variable& variable = (*variables)[id];
    Lifetime lifetime{pattern.arg(shownName(variable.name)), colour, {}, {}};
    const auto classes = profile.livenessClasses(stop);
    QStringList when;
    if (variable.alwaysLive) {
        lifetime.spans.push_back({0, static_cast<double>(steps.length())});
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

std::size_t StepList::length() const {
    return places.empty() ? shown.size() : static_cast<std::size_t>(places.back()) + 1;
}

int StepList::placeOf(StepId step) const {
    const auto found = std::lower_bound(shown.begin(), shown.end(), step);
    return found != shown.end() && *found == step
               ? placeAt(static_cast<std::size_t>(found - shown.begin()))
               : -1;
}

StepId StepList::at(double place) const {
    if (place < 0 || place >= static_cast<double>(length()))
        return {};
    const auto whole = static_cast<std::size_t>(place);
    if (places.empty())
        return shown[whole];
    const auto found =
        std::lower_bound(places.begin(), places.end(), static_cast<std::int32_t>(whole));
    return *found == static_cast<std::int32_t>(whole)
               ? shown[static_cast<std::size_t>(found - places.begin())]
               : StepId();
}

Lifetime::Span StepList::placesOf(const StepInterval& interval) const {
    const auto from = std::lower_bound(shown.begin(), shown.end(), interval.first);
    const auto to = std::lower_bound(from, shown.end(), interval.end);
    if (from == to) {
        const double place = from == shown.end()
                                 ? static_cast<double>(length())
                                 : placeAt(static_cast<std::size_t>(from - shown.begin()));
        return {place, place};
    }
    // The variable does not extend over a gap before the next step, where it is no longer live.
    return {static_cast<double>(placeAt(static_cast<std::size_t>(from - shown.begin()))),
            placeAt(static_cast<std::size_t>(to - shown.begin()) - 1) + 1.0};
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
    content.sourceSteps = stepsOf(first, options, stop);
    content.fullestTiles = tilesByMemory(*profiles.source->tileMemory(stop),
                                         {0, first.machine().totalTiles()}, fullest);
    const auto limitOf = [](const std::optional<PlotWidget::Limit>& limit) {
        return limit ? static_cast<std::int64_t>(limit->value) : 0;
    };
    if (!profiles.comparing()) {
        // Variation is what matters: the always-live part stays in the background.
        Look plain{mixed(theme.alwaysLive, theme.surface, 0.35), theme.notAlwaysLive};
        plain.limit = limitOf(content.plot.limit);
        addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive, plain);
        return content;
    }
    content.targetSteps = stepsOf(*profiles.target, options, stop);
    static_cast<void>(profiles.matching->steps(stop)); // computed here for markers of steps later
    content.aligned =
        align(profiles, options.align, content.sourceSteps, content.targetSteps, stop);
    const LivenessSeries target = seriesOf(*profiles.target, options.tiles, stop);
    const auto targetLimit = memoryLimit(*profiles.target, options);
    // Colours tell source from target, whether below each other or overlaid.
    Look ofSource{mixed(theme.source, theme.text, 0.35), theme.source};
    ofSource.limit = limitOf(content.plot.limit);
    Look ofTarget{mixed(theme.target, theme.text, 0.35), theme.target};
    ofTarget.limit = limitOf(targetLimit);
    ofSource.pattern = Text::tr("%1 (source)");
    ofTarget.pattern = Text::tr("%1 (target)");
    if (options.apart) {
        addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive,
                 ofSource);
        addStack(content.target.emplace().areas, target, content.targetSteps,
                 options.includeAlwaysLive, ofTarget);
        content.target->limit = targetLimit;
        return content;
    }
    // One over the other: a pale fill and a line, as two fills mix to a third colour.
    content.plot.mode = StepAreaPlottable::Mode::Overlaid;
    ofTarget.filled = false;
    addStack(content.plot.areas, source, content.sourceSteps, options.includeAlwaysLive, ofSource);
    addStack(content.plot.areas, target, content.targetSteps, options.includeAlwaysLive, ofTarget);
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
