// Live bytes over tiles.
#include <cmath>

#include "core/analysis/memory/memory_plot.h"
#include "core/analysis/memory/tile_quantity.h"
#include "core/report/compared_tables.h"
#include "views/liveness/liveness_content.h"
#include "views/liveness/liveness_tables.h"
#include "views/tables/profile_tables.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

TileSeries liveBytes(const ProfileView& profile, StepId step, const std::stop_token& stop) {
    return step.valid() ? liveBytesByTile(*profile.variables(stop), *profile.livenessClasses(stop),
                                          profile.steps(stop)->size(), step)
                        : TileSeries();
}

/// Statistics of one profile; over all tiles if it lacks the selected ones. `ofProfile` maps a step
/// of the source to the profile's.
template <class OfProfile>
Table statisticsOf(const ProfileView& profile, const TileSelection& tiles,
                   std::span<const TileId> chosen, Steps steps, OfProfile&& ofProfile,
                   const std::stop_token& stop) {
    Table table;
    table.columns = {{"tiles", "Tiles"},
                     {"alwaysLive", "Always live", Unit::Bytes},
                     {"maxNotAlwaysLive", "Most not always live", Unit::Bytes}};
    std::vector<TileSeries> measures{
        tileMemorySeries(*profile.tileMemory(stop), &TileMemory::alwaysLive),
        tileMemorySeries(*profile.tileMemory(stop), &TileMemory::maxNotAlwaysLive)};
    for (const StepId step : steps) {
        const std::string number = std::to_string(step.value());
        table.columns.push_back({"step" + number, "Live at step " + number, Unit::Bytes});
        measures.push_back(liveBytes(profile, ofProfile(step), stop));
    }
    const auto add = [&](const QString& name, std::int32_t id, auto&& value) {
        std::vector<Cell>& cells = table.add({name.toStdString()}, id).cells;
        for (const TileSeries& measure : measures)
            cells.emplace_back(static_cast<std::int64_t>(value(measure)));
    };
    const TileRange range = fittedTo(profile.machine(), tiles).range(profile.machine());
    const auto addStatistic = [&](const QString& name, auto&& value) {
        add(name, -1, [&](const TileSeries& series) {
            return std::llround(value(tileStatistics(series, range)));
        });
    };
    addStatistic(Text::tr("Least"),
                 [](const TileStatistics& s) { return static_cast<double>(s.least); });
    addStatistic(Text::tr("Mean"), [](const TileStatistics& s) { return s.mean; });
    addStatistic(Text::tr("Most"),
                 [](const TileStatistics& s) { return static_cast<double>(s.most); });
    addStatistic(Text::tr("Standard deviation"),
                 [](const TileStatistics& s) { return s.deviation; });
    for (const TileId tile : chosen)
        add(Text::tr("Tile %1").arg(tile.value()), tile.value(),
            [tile](const TileSeries& series) { return series.at(tile); });
    table.summary = tiles.label();
    return table;
}

} // namespace

Table tileStatisticsTable(const ProfilePair& profiles, const TileSelection& tiles,
                          std::span<const TileId> chosen, Steps steps,
                          const std::stop_token& stop) {
    Table source = statisticsOf(
        *profiles.source, tiles, chosen, steps, [](StepId step) { return step; }, stop);
    if (!profiles.comparing())
        return source;
    return tableOfTwo(
        source, statisticsOf(
                    *profiles.target, tiles, chosen, steps,
                    [&](StepId step) { return profiles.matching->targetOf(step, stop); }, stop));
}

} // namespace tilescope::views
