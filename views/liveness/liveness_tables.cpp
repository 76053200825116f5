#include "views/liveness/liveness_tables.h"

#include <algorithm>

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/programs/programs.h"
#include "views/session/same_items.h"
#include "views/tables/column_table.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::vector<NamedValue> named(const std::vector<SizedVariable>& variables) {
    std::vector<NamedValue> values;
    values.reserve(variables.size());
    for (const SizedVariable& variable : variables)
        values.push_back({variable.name, variable.bytes, variable.variable.value()});
    return values;
}

DataTable variableRows(const std::vector<SizedVariable>& variables) {
    DataTable table;
    table.columns = {{Text::tr("Variable"), CellKind::Text, {}},
                     {Text::tr("Category"), CellKind::Text, {}},
                     {Text::tr("Size"), CellKind::Bytes, Text::tr("On the selected tiles"), true},
                     {Text::tr("Share"), CellKind::Share, Text::tr("Of the total"), true}};
    const std::int64_t total = totalBytes(variables);
    for (const SizedVariable& variable : variables)
        table.rows.push_back(
            {{variable.name, std::string(displayName(variable.category)), variable.bytes,
              total == 0 ? 0.0 : static_cast<double>(variable.bytes) / static_cast<double>(total)},
             variable.variable.value()});
    return table;
}

std::vector<SizedVariable> liveAt(const OpenProfile& profile, const TileSelection& tiles,
                                  StepId step, const std::stop_token& stop) {
    return notAlwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                  *profile.livenessClasses(stop), profile.steps(stop)->size(), step,
                                  fittedTo(profile.machine(), tiles));
}

const Program& programOf(const OpenProfile::Part<IdVector<ProgramId, Program>>& programs,
                         const OpenProfile& profile, StepId step, const std::stop_token& stop) {
    return (*programs)[(*profile.steps(stop))[step]];
}

QString stepTitle(StepId step) {
    return Text::tr("Step %1").arg(step.value());
}

// Asks both profiles about each step.
template <class Ask>
std::vector<ValueColumn> columnsOf(const ProfilePair& profiles, Steps steps, Ask&& ask,
                                   const std::stop_token& stop) {
    std::vector<ValueColumn> columns;
    for (const StepId step : steps) {
        columns.push_back({stepTitle(step), ask(*profiles.source, step), {}});
        if (!profiles.comparing())
            continue;
        const StepId other = matchingStep(profiles, step, stop);
        if (!other.valid()) {
            columns.back().targetTitle = Text::tr("No step");
            continue;
        }
        columns.back().target = ask(*profiles.target, other);
        columns.back().targetTitle = stepTitle(other);
    }
    return columns;
}

struct VertexCount {
    NamedValue vertices;
    std::int64_t tiles = 0;
    std::int64_t stateBytes = 0;
};

std::vector<VertexCount> verticesAt(const OpenProfile& profile, const TileSelection& tiles,
                                    StepId step, const std::stop_token& stop) {
    std::vector<VertexCount> rows;
    const auto programs = profile.programs(stop);
    const Program& program = programOf(programs, profile, step, stop);
    if (!program.computeSet.valid())
        return rows;
    const TileRange range = fittedTo(profile.machine(), tiles).range(profile.machine());
    const auto types = profile.vertexTypes(stop);
    const auto sets = profile.computeSets(stop);
    for (const VertexInstances& group : (*sets)[program.computeSet].vertices) {
        const TileSeries count = group.count.slice(range.first, range.end);
        if (!count.empty())
            rows.push_back({{(*types)[group.type].name, count.sum(), group.type.value()},
                            count.tilesUsed(),
                            group.stateBytes.sum(range.first, range.end)});
    }
    return rows;
}

TileSeries cyclesAt(const OpenProfile& profile, StepId step, const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const Program& program = programOf(programs, profile, step, stop);
    if (program.computeSet.valid())
        return (*profile.computeSets(stop))[program.computeSet].cycles;
    if (program.exchange.valid())
        return (*profile.exchanges(stop))[program.exchange].cycles;
    return {};
}

std::vector<NamedValue> slowestByIpu(const OpenProfile& profile, StepId step,
                                     const std::stop_token& stop) {
    const Target& machine = profile.machine();
    const TileSeries cycles = cyclesAt(profile, step, stop);
    std::vector<NamedValue> values;
    for (std::int32_t ipu = 0; ipu < machine.ipus; ++ipu)
        values.push_back(
            {Text::tr("IPU %1").arg(ipu).toStdString(),
             cycles.slice(ipu * machine.tilesPerIpu, (ipu + 1) * machine.tilesPerIpu).max().value,
             ipu});
    return values;
}

DataTable cyclesOfStep(const OpenProfile& profile, StepId step, const std::stop_token& stop) {
    DataTable table;
    table.columns = {{Text::tr("Where"), CellKind::Text, {}},
                     {Text::tr("Cycles"), CellKind::Cycles, Text::tr("Slowest tile, estimated")},
                     {Text::tr("Mean"), CellKind::Cycles, Text::tr("Over the tiles that work")},
                     {Text::tr("Active tiles"), CellKind::Count, {}, true},
                     {Text::tr("Balance"), CellKind::Share,
                      Text::tr("Active cycles of all tiles against the slowest")}};
    const TileSeries cycles = cyclesAt(profile, step, stop);
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
    const auto programs = profile.programs(stop);
    table.summary = QString::fromStdString(programLabel(programOf(programs, profile, step, stop)));
    return table;
}

} // namespace

DataTable alwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles,
                          const std::stop_token& stop) {
    const auto of = [&](const OpenProfile& profile) {
        return alwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                   fittedTo(profile.machine(), tiles));
    };
    if (profiles.comparing())
        return comparedTable(Text::tr("Variable"), CellKind::Bytes, named(of(*profiles.source)),
                             named(of(*profiles.target)));
    return variableRows(of(*profiles.source));
}

DataTable notAlwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                             const std::stop_token& stop) {
    DataTable table;
    if (steps.size() == 1 && !profiles.comparing()) {
        table = variableRows(liveAt(*profiles.source, tiles, steps.front(), stop));
    } else {
        const auto ask = [&](const OpenProfile& profile, StepId step) {
            return named(liveAt(profile, tiles, step, stop));
        };
        table = columnTable(Text::tr("Variable"), CellKind::Bytes, profiles.comparing(),
                            columnsOf(profiles, steps, ask, stop));
    }
    if (steps.size() == 1)
        table.summary = stepTitle(steps.front());
    return table;
}

DataTable stepVerticesTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                            const std::stop_token& stop) {
    if (steps.size() > 1 || profiles.comparing()) {
        const auto ask = [&](const OpenProfile& profile, StepId step) {
            std::vector<NamedValue> values;
            for (VertexCount& row : verticesAt(profile, tiles, step, stop))
                values.push_back(std::move(row.vertices));
            return values;
        };
        return columnTable(Text::tr("Vertex type (vertices)"), CellKind::Count,
                           profiles.comparing(), columnsOf(profiles, steps, ask, stop));
    }
    DataTable table;
    table.columns = {
        {Text::tr("Vertex type"), CellKind::Text, {}},
        {Text::tr("Vertices"), CellKind::Count, {}, true},
        {Text::tr("Tiles"), CellKind::Count, {}},
        {Text::tr("State"), CellKind::Bytes, Text::tr("Instance state and field data"), true}};
    for (const VertexCount& row : verticesAt(*profiles.source, tiles, steps.front(), stop))
        table.rows.push_back(
            {{row.vertices.name, row.vertices.value, row.tiles, row.stateBytes}, row.vertices.id});
    table.summary =
        table.rows.empty() ? Text::tr("This step has no compute set") : stepTitle(steps.front());
    return table;
}

DataTable cycleTable(const ProfilePair& profiles, Steps steps, const std::stop_token& stop) {
    if (steps.size() == 1 && !profiles.comparing())
        return cyclesOfStep(*profiles.source, steps.front(), stop);
    const auto ask = [&](const OpenProfile& profile, StepId step) {
        return slowestByIpu(profile, step, stop);
    };
    DataTable table = columnTable(Text::tr("Slowest tile of"), CellKind::Cycles,
                                  profiles.comparing(), columnsOf(profiles, steps, ask, stop));
    // IPUs work side by side: their cycles are no sum.
    for (DataColumn& column : table.columns)
        column.summed = false;
    return table;
}

} // namespace tilescope::views
