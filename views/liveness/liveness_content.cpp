#include "views/liveness/liveness_content.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/analysis/programs.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(LivenessReport)
};

LivenessSeries seriesOf(const OpenProfile& profile, const TileSelection& wanted,
                        const std::stop_token& stop) {
    const TileSelection tiles = fittedTo(profile.machine(), wanted);
    if (!tiles.tile().valid())
        return livenessFromCurve(*profile.livenessCurve(stop), profile.machine(),
                                 *profile.tileMemory(stop), tiles);
    return livenessOf(profile.machine(), *profile.variables(stop), *profile.livenessClasses(stop),
                      profile.steps(stop)->size(), tiles);
}

void addStack(std::vector<StepArea>& areas, const LivenessSeries& series, bool includeAlwaysLive,
              const QColor& always, const QColor& notAlways, const QString& pattern) {
    std::vector<std::int64_t> base(series.notAlwaysLive.size(),
                                   includeAlwaysLive ? series.alwaysLive : 0);
    if (includeAlwaysLive)
        areas.push_back({pattern.arg(Text::tr("Always live")), always, MinMaxPyramid(base)});
    for (std::size_t i = 0; i < base.size(); ++i)
        base[i] += series.notAlwaysLive[i];
    areas.push_back(
        {pattern.arg(Text::tr("Not always live")), notAlways, MinMaxPyramid(std::move(base))});
}

std::vector<NamedValue> named(const std::vector<SizedVariable>& variables) {
    std::vector<NamedValue> values;
    values.reserve(variables.size());
    for (const SizedVariable& variable : variables)
        values.push_back({variable.name, variable.bytes, variable.variable.value()});
    return values;
}

DataTable variableRows(const std::vector<SizedVariable>& variables, ByteUnits units) {
    DataTable table;
    table.columns = {{Text::tr("Variable"), CellKind::Text, {}},
                     {Text::tr("Category"), CellKind::Text, {}},
                     {Text::tr("Size"), CellKind::Bytes, Text::tr("On the selected tiles")},
                     {Text::tr("Share"), CellKind::Share, Text::tr("Of the total")}};
    const std::int64_t total = totalBytes(variables);
    for (const SizedVariable& variable : variables)
        table.rows.push_back(
            {{variable.name, std::string(displayName(variable.category)), variable.bytes,
              total == 0 ? 0.0 : static_cast<double>(variable.bytes) / static_cast<double>(total)},
             variable.variable.value()});
    table.summary = Text::tr("Total %1").arg(QString::fromStdString(formatBytes(total, units)));
    return table;
}

std::vector<SizedVariable> liveAt(const OpenProfile& profile, const TileSelection& tiles,
                                  StepId step, const std::stop_token& stop) {
    return notAlwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                  *profile.livenessClasses(stop), profile.steps(stop)->size(), step,
                                  fittedTo(profile.machine(), tiles));
}

std::vector<std::string> namesOf(const OpenProfile& profile, const std::stop_token& stop) {
    return stepNames(*profile.programs(stop), *profile.steps(stop));
}

} // namespace

LivenessContent livenessContent(const ProfilePair& profiles, const TileSelection& tiles,
                                bool includeAlwaysLive, const Theme& theme,
                                const std::stop_token& stop) {
    LivenessContent content;
    const LivenessSeries source = seriesOf(*profiles.source, tiles, stop);
    content.peak = source.peakStep;
    content.stepNames = namesOf(*profiles.source, stop);
    if (!profiles.comparing()) {
        // What varies is the message: what is always there stays in the background.
        addStack(content.plot.areas, source, includeAlwaysLive,
                 mixed(theme.alwaysLive, theme.surface, 0.35), theme.notAlwaysLive,
                 QStringLiteral("%1"));
        return content;
    }
    content.plot.mode = StepAreaPlottable::Mode::Overlaid;
    addStack(content.plot.areas, source, includeAlwaysLive, mixed(theme.source, theme.text, 0.35),
             theme.source, Text::tr("%1 (source)"));
    addStack(content.plot.areas, seriesOf(*profiles.target, tiles, stop), includeAlwaysLive,
             mixed(theme.target, theme.text, 0.35), theme.target, Text::tr("%1 (target)"));
    return content;
}

DataTable alwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, ByteUnits units,
                          const std::stop_token& stop) {
    const auto of = [&](const OpenProfile& profile) {
        return alwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                   fittedTo(profile.machine(), tiles));
    };
    if (profiles.comparing())
        return comparedTable(Text::tr("Variable"), CellKind::Bytes, named(of(*profiles.source)),
                             named(of(*profiles.target)));
    return variableRows(of(*profiles.source), units);
}

DataTable notAlwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, StepId step,
                             ByteUnits units, const std::stop_token& stop) {
    const std::vector<SizedVariable> source = liveAt(*profiles.source, tiles, step, stop);
    if (!profiles.comparing())
        return variableRows(source, units);
    const StepId other = matchingStep(profiles, step, stop);
    std::vector<NamedValue> target;
    if (other.valid())
        target = named(liveAt(*profiles.target, tiles, other, stop));
    return comparedTable(Text::tr("Variable"), CellKind::Bytes, named(source), std::move(target));
}

DataTable stepVerticesTable(const ProfilePair& profiles, const TileSelection& tiles, StepId step,
                            const std::stop_token& stop) {
    DataTable table;
    table.columns = {
        {Text::tr("Vertex type"), CellKind::Text, {}},
        {Text::tr("Vertices"), CellKind::Count, {}},
        {Text::tr("Tiles"), CellKind::Count, {}},
        {Text::tr("State"), CellKind::Bytes, Text::tr("Instance state and field data")}};
    const OpenProfile& profile = *profiles.source;
    const Program& program = (*profile.programs(stop))[(*profile.steps(stop))[step]];
    if (!program.computeSet.valid()) {
        table.summary = Text::tr("This step has no compute set");
        return table;
    }
    const TileRange range = tiles.range(profile.machine());
    const auto types = profile.vertexTypes(stop);
    for (const VertexInstances& group : (*profile.computeSets(stop))[program.computeSet].vertices) {
        const TileSeries count = group.count.slice(range.first, range.end);
        if (!count.empty())
            table.rows.push_back(
                {{(*types)[group.type].name, count.sum(), std::int64_t{count.tilesUsed()},
                  group.stateBytes.sum(range.first, range.end)},
                 group.type.value()});
    }
    return table;
}

DataTable cycleTable(const ProfilePair& profiles, StepId step, const std::stop_token& stop) {
    DataTable table;
    table.columns = {{Text::tr("Where"), CellKind::Text, {}},
                     {Text::tr("Cycles"), CellKind::Cycles, Text::tr("Slowest tile, estimated")},
                     {Text::tr("Mean"), CellKind::Cycles, Text::tr("Over the tiles that work")},
                     {Text::tr("Active tiles"), CellKind::Count, {}},
                     {Text::tr("Balance"), CellKind::Share,
                      Text::tr("Active cycles of all tiles against the slowest")}};
    const OpenProfile& profile = *profiles.source;
    const Program& program = (*profile.programs(stop))[(*profile.steps(stop))[step]];
    TileSeries cycles;
    if (program.computeSet.valid())
        cycles = (*profile.computeSets(stop))[program.computeSet].cycles;
    else if (program.exchange.valid())
        cycles = (*profile.exchanges(stop))[program.exchange].cycles;
    const Target& machine = profile.machine();
    for (std::int32_t ipu = 0; ipu < machine.ipus; ++ipu) {
        const TileSeries part =
            cycles.slice(ipu * machine.tilesPerIpu, (ipu + 1) * machine.tilesPerIpu);
        const std::int64_t slowest = part.max().value;
        const std::int64_t active = part.tilesUsed();
        const double all = static_cast<double>(slowest) * machine.tilesPerIpu;
        table.rows.push_back({{Text::tr("IPU %1").arg(ipu).toStdString(), slowest,
                               active == 0 ? std::int64_t{0} : part.sum() / active, active,
                               all == 0 ? 0.0 : static_cast<double>(part.sum()) / all},
                              ipu});
    }
    table.summary = QString::fromStdString(programLabel(program));
    return table;
}

StepId matchingStep(const ProfilePair& profiles, StepId step, const std::stop_token& stop) {
    const std::vector<std::string> source = namesOf(*profiles.source, stop);
    const std::vector<std::string> target = namesOf(*profiles.target, stop);
    if (step.index() >= source.size())
        return {};
    // Of several steps of one name the one at the same turn: the third of these in both.
    const std::string& name = source[step.index()];
    auto turn = std::count(source.begin(), source.begin() + step.value(), name);
    for (std::size_t i = 0; i < target.size(); ++i)
        if (target[i] == name && turn-- == 0)
            return StepId(i);
    return step.index() < target.size() ? step : StepId();
}

} // namespace tilescope::views
