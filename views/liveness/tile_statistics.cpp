// Live bytes over tiles.
#include <cmath>

#include "core/analysis/memory/memory_plot.h"
#include "core/analysis/memory/tile_quantity.h"
#include "views/liveness/liveness_tables.h"
#include "views/session/same_items.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// A column's values on all tiles of source and target.
struct Measure {
    QString title;
    TileSeries source;
    TileSeries target;
};

TileSeries liveBytes(const OpenProfile& profile, StepId step, const std::stop_token& stop) {
    return step.valid() ? liveBytesByTile(*profile.variables(stop), *profile.livenessClasses(stop),
                                          profile.steps(stop)->size(), step)
                        : TileSeries();
}

std::vector<Measure> measuresOf(const ProfilePair& profiles, Steps steps,
                                const std::stop_token& stop) {
    std::vector<Measure> measures;
    const auto add = [&](const QString& title, std::int64_t TileMemory::*field) {
        measures.push_back(
            {title, tileMemorySeries(*profiles.source->tileMemory(stop), field), {}});
        if (profiles.comparing())
            measures.back().target = tileMemorySeries(*profiles.target->tileMemory(stop), field);
    };
    add(Text::tr("Always live"), &TileMemory::alwaysLive);
    add(Text::tr("Most not always live"), &TileMemory::maxNotAlwaysLive);
    for (const StepId step : steps) {
        measures.push_back({Text::tr("Live at step %1").arg(step.value()),
                            liveBytes(*profiles.source, step, stop),
                            {}});
        if (profiles.comparing())
            measures.back().target =
                liveBytes(*profiles.target, matchingStep(profiles, step, stop), stop);
    }
    return measures;
}

template <class Value>
DataRow rowOf(const QString& name, std::int32_t id, const ProfilePair& profiles,
              const std::vector<Measure>& measures, Value&& value) {
    DataRow row{{name.toStdString()}, id};
    for (const Measure& measure : measures) {
        const std::int64_t ofSource = value(*profiles.source, measure.source);
        row.cells.emplace_back(ofSource);
        if (!profiles.comparing())
            continue;
        const std::int64_t ofTarget = value(*profiles.target, measure.target);
        row.cells.emplace_back(ofTarget);
        row.cells.emplace_back(Change{ofSource, ofTarget});
    }
    return row;
}

} // namespace

DataTable tileStatisticsTable(const ProfilePair& profiles, const TileSelection& tiles,
                              std::span<const TileId> chosen, Steps steps,
                              const std::stop_token& stop) {
    const std::vector<Measure> measures = measuresOf(profiles, steps, stop);
    DataTable table;
    table.columns.push_back({Text::tr("Tiles"), CellKind::Text, {}});
    for (const Measure& measure : measures) {
        if (!profiles.comparing()) {
            table.columns.push_back({measure.title, CellKind::Bytes, {}});
            continue;
        }
        table.columns.push_back({Text::tr("%1, source").arg(measure.title), CellKind::Bytes, {}});
        table.columns.push_back({Text::tr("%1, target").arg(measure.title), CellKind::Bytes, {}});
        table.columns.push_back({Text::tr("Difference"), CellKind::BytesChange, {}});
    }
    // A statistic of the tiles; of all of them where the target lacks the selected ones.
    const auto add = [&](const QString& name, auto&& value) {
        table.rows.push_back(rowOf(
            name, -1, profiles, measures, [&](const OpenProfile& of, const TileSeries& series) {
                const Target& machine = of.machine();
                return static_cast<std::int64_t>(std::llround(
                    value(tileStatistics(series, fittedTo(machine, tiles).range(machine)))));
            }));
    };
    add(Text::tr("Least"), [](const TileStatistics& s) { return static_cast<double>(s.least); });
    add(Text::tr("Mean"), [](const TileStatistics& s) { return s.mean; });
    add(Text::tr("Most"), [](const TileStatistics& s) { return static_cast<double>(s.most); });
    add(Text::tr("Standard deviation"), [](const TileStatistics& s) { return s.deviation; });
    for (const TileId tile : chosen)
        table.rows.push_back(rowOf(
            Text::tr("Tile %1").arg(tile.value()), tile.value(), profiles, measures,
            [tile](const OpenProfile&, const TileSeries& series) { return series.at(tile); }));
    table.summary = QString::fromStdString(tiles.label());
    return table;
}

} // namespace tilescope::views
