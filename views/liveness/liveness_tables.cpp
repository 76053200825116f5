#include "views/liveness/liveness_tables.h"

#include <algorithm>

#include "core/analysis/liveness/liveness.h"
#include "core/analysis/programs/programs.h"
#include "core/report/compared_tables.h"
#include "core/report/item_tables.h"
#include "views/liveness/liveness_content.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

Table sizesOf(const std::vector<SizedVariable>& variables) {
    return sizesTable("variables", "", variables);
}

std::vector<SizedVariable> liveAt(const ProfileView& profile, const TileSelection& tiles,
                                  StepId step, const std::stop_token& stop) {
    return notAlwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                  *profile.livenessClasses(stop), profile.steps(stop)->size(), step,
                                  fittedTo(profile.machine(), tiles));
}

const Program& programOf(const ProfileView::Part<IdVector<ProgramId, Program>>& programs,
                         const ProfileView& profile, StepId step, const std::stop_token& stop) {
    return (*programs)[(*profile.steps(stop))[step]];
}

std::string stepTitle(StepId step) {
    return Text::tr("Step %1").arg(step.value()).toStdString();
}

// Calls `ask` for each step in both profiles.
template <class Ask>
std::vector<ValueColumn> columnsOf(const ProfilePair& profiles, Steps steps, Ask&& ask,
                                   const std::stop_token& stop) {
    std::vector<ValueColumn> columns;
    for (const StepId step : steps) {
        columns.push_back({stepTitle(step), ask(*profiles.source, step), {}});
        if (!profiles.comparing())
            continue;
        const StepId other = profiles.matching->targetOf(step, stop);
        if (!other.valid()) {
            columns.back().targetTitle = Text::tr("No step").toStdString();
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

std::vector<VertexCount> verticesAt(const ProfileView& profile, const TileSelection& tiles,
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

TileSeries cyclesAt(const ProfileView& profile, StepId step, const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const Program& program = programOf(programs, profile, step, stop);
    if (program.computeSet.valid())
        return (*profile.computeSets(stop))[program.computeSet].cycles;
    if (program.exchange.valid())
        return (*profile.exchanges(stop))[program.exchange].cycles;
    return {};
}

std::vector<NamedValue> slowestByIpu(const ProfileView& profile, StepId step,
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

/// By number.
Matching matchedIpus(const ProfilePair& profiles) {
    const std::int32_t source = profiles.source->machine().ipus;
    const std::int32_t target = profiles.target->machine().ipus;
    std::vector<Match> matches;
    for (std::int32_t ipu = 0; ipu < std::max(source, target); ++ipu)
        matches.push_back({ipu < source ? ipu : -1, ipu < target ? ipu : -1, false});
    return Matching(std::move(matches));
}

Table cyclesOfStep(const ProfileView& profile, StepId step, const std::stop_token& stop) {
    Table table;
    table.columns = {
        {"where", "Where"},
        {"cycles", "Cycles", Unit::Cycles, "Slowest tile, estimated"},
        {"mean", "Mean", Unit::Cycles, "Over the tiles that work"},
        {"activeTiles", "Active tiles", Unit::Count, {}, true},
        {"balance", "Balance", Unit::Share, "Active cycles of all tiles against the slowest"}};
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
    table.summary = programLabel(programOf(programs, profile, step, stop));
    return table;
}

} // namespace

Table alwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles,
                      const std::stop_token& stop) {
    const auto of = [&](const ProfileView& profile) {
        return alwaysLiveVariables(profile.machine(), *profile.variables(stop),
                                   fittedTo(profile.machine(), tiles));
    };
    if (profiles.comparing())
        return comparedTable("Variable", Unit::Bytes,
                             namedValues(sizesOf(of(*profiles.source)), "bytes"),
                             namedValues(sizesOf(of(*profiles.target)), "bytes"),
                             *profiles.matching->variables(stop));
    return sizesOf(of(*profiles.source));
}

Table notAlwaysLiveTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                         const std::stop_token& stop) {
    Table table;
    if (steps.size() == 1 && !profiles.comparing()) {
        table = sizesOf(liveAt(*profiles.source, tiles, steps.front(), stop));
    } else {
        const auto ask = [&](const ProfileView& profile, StepId step) {
            return namedValues(sizesOf(liveAt(profile, tiles, step, stop)), "bytes");
        };
        const auto matching = matchingOf(MemoryTable::Variables, profiles, stop);
        table = columnTable("Variable", Unit::Bytes, matching.get(),
                            columnsOf(profiles, steps, ask, stop));
    }
    if (steps.size() == 1)
        table.summary = stepTitle(steps.front());
    return table;
}

Table stepVerticesTable(const ProfilePair& profiles, const TileSelection& tiles, Steps steps,
                        const std::stop_token& stop) {
    if (steps.size() > 1 || profiles.comparing()) {
        const auto ask = [&](const ProfileView& profile, StepId step) {
            std::vector<NamedValue> values;
            for (VertexCount& row : verticesAt(profile, tiles, step, stop))
                values.push_back(std::move(row.vertices));
            return values;
        };
        const auto matching = matchingOf(MemoryTable::Vertices, profiles, stop);
        return columnTable("Vertex type (vertices)", Unit::Count, matching.get(),
                           columnsOf(profiles, steps, ask, stop));
    }
    Table table;
    table.columns = {{"vertexType", "Vertex type"},
                     {"vertices", "Vertices", Unit::Count, {}, true},
                     {"tiles", "Tiles", Unit::Count},
                     {"state", "State", Unit::Bytes, "Instance state and field data", true}};
    for (const VertexCount& row : verticesAt(*profiles.source, tiles, steps.front(), stop))
        table.rows.push_back(
            {{row.vertices.name, row.vertices.value, row.tiles, row.stateBytes}, row.vertices.id});
    table.summary = table.rows.empty() ? Text::tr("This step has no compute set").toStdString()
                                       : stepTitle(steps.front());
    return table;
}

Table cycleTable(const ProfilePair& profiles, Steps steps, const std::stop_token& stop) {
    if (steps.size() == 1 && !profiles.comparing())
        return cyclesOfStep(*profiles.source, steps.front(), stop);
    const auto ask = [&](const ProfileView& profile, StepId step) {
        return slowestByIpu(profile, step, stop);
    };
    const Matching ipus = profiles.comparing() ? matchedIpus(profiles) : Matching();
    Table table =
        columnTable("Slowest tile of", Unit::Cycles, profiles.comparing() ? &ipus : nullptr,
                    columnsOf(profiles, steps, ask, stop));
    // IPUs run in parallel: their cycles are not added up.
    for (Column& column : table.columns)
        column.summed = false;
    return table;
}

} // namespace tilescope::views
