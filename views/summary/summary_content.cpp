#include "views/summary/summary_content.h"

#include <algorithm>
#include <map>

#include "core/analysis/memory/tile_quantity.h"
#include "core/base/units.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr std::size_t mostTiles = 5;

std::int64_t numberOf(const ProfileReader& reader, const std::string& sql) {
    const SqlResult result = reader.query(sql);
    return std::get<std::int64_t>(result.rows.at(0).at(0));
}

std::int64_t rowsOf(const ProfileReader& reader, const char* table) {
    return numberOf(reader, std::string("SELECT count(*) FROM ") + table);
}

} // namespace

ProfileFigures readFigures(const ProfileView& profile, const std::stop_token& stop) {
    ProfileFigures figures;
    const auto tiles = profile.tileMemory(stop);
    const ProfileReader reader = profile.reader(stop);
    figures.memory = summariseMemory(profile.machine(), *tiles, reader.notAlwaysLive());
    figures.tileBytes.reserve(tiles->size());
    for (const TileMemory& tile : *tiles)
        figures.tileBytes.push_back(tile.includingGaps);
    figures.fullest = tilesByMemory(*tiles, {0, profile.machine().totalTiles()}, mostTiles);
    // The variables themselves, possibly many, are not needed here.
    figures.variables = reader.variablesOnTiles();
    figures.computeSets = rowsOf(reader, "compute_sets");
    figures.steps = rowsOf(reader, "liveness_steps");
    figures.operations = reader.modelOperations();
    figures.messages = *profile.messages(stop);
    return figures;
}

QString verdictText(const ProfileInfo& info, const MemorySummary& memory, ByteUnits units) {
    const auto bytes = [units](std::int64_t n) {
        return QString::fromStdString(formatBytes(n, units));
    };
    if (!memory.maxTileId.valid())
        return Text::tr("The memory of tiles is not known.");
    const std::int64_t most = memory.maxTile.includingGaps;
    const QString share = QString::fromStdString(
        formatPercent(static_cast<double>(most), static_cast<double>(memory.limitPerTile)));
    if (info.fits)
        return Text::tr("Fits: the fullest tile (%1) uses %2 of %3 (%4), %5 to spare.")
            .arg(memory.maxTileId.value())
            .arg(bytes(most), bytes(memory.limitPerTile), share, bytes(memory.limitPerTile - most));
    return Text::tr("Out of memory: %1 over the limit; tile %2 needs %3 of %4 (%5), %6 too much.")
        .arg(memory.tilesOverLimit == 1
                 ? Text::tr("1 tile")
                 : Text::tr("%1 tiles").arg(countText(memory.tilesOverLimit)))
        .arg(memory.maxTileId.value())
        .arg(bytes(most), bytes(memory.limitPerTile), share, bytes(most - memory.limitPerTile));
}

Table optionsTable(const ProfilePair& profiles) {
    std::map<std::string, std::pair<Cell, Cell>> rows;
    const auto add = [&](const ProfileViewPtr& profile, Cell std::pair<Cell, Cell>::*side) {
        if (!profile)
            return;
        for (const auto& [name, value] : profile->info().options)
            rows[name].*side = value;
        for (const auto& [name, value] : profile->info().engineOptions)
            rows[name].*side = value;
    };
    add(profiles.source, &std::pair<Cell, Cell>::first);
    add(profiles.target, &std::pair<Cell, Cell>::second);
    Table table;
    table.columns = {{"option", "Option"}, {"value", profiles.comparing() ? "Source" : "Value"}};
    if (profiles.comparing()) {
        table.columns.push_back({"target", "Target"});
    }
    std::size_t changed = 0;
    for (const auto& [name, values] : rows) {
        Row row{{name, values.first}, -1};
        if (profiles.comparing()) {
            row.cells.push_back(values.second);
            row.emphasised = values.first != values.second;
            changed += row.emphasised ? 1 : 0;
        }
        table.rows.push_back(std::move(row));
    }
    std::stable_partition(table.rows.begin(), table.rows.end(),
                          [](const Row& row) { return row.emphasised; });
    if (profiles.comparing())
        table.summary = std::to_string(changed) + " changed";
    return table;
}

Table messagesTable(const ProfilePair& profiles, const ProfileFigures& source,
                    const ProfileFigures* target) {
    Table table;
    table.columns = {{"message", "Message"}, {"severity", "Severity"}};
    if (profiles.comparing())
        table.columns.push_back({"profile", "Profile"});
    const auto add = [&](const ProfileFigures& figures, const QString& name) {
        for (const Message& message : figures.messages) {
            Row row{{message.text, std::string(toString(message.severity))},
                    message.operation.value()};
            if (profiles.comparing())
                row.cells.emplace_back(name.toStdString());
            table.rows.push_back(std::move(row));
        }
    };
    add(source, Text::tr("Source"));
    if (target != nullptr)
        add(*target, Text::tr("Target"));
    return table;
}

} // namespace tilescope::views
