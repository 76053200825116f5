// Lowered variables, their categories and where they are.
#include <algorithm>
#include <map>

#include "core/store/distinct_series.h"
#include "core/store/table_group.h"
#include "core/store/variable_runs.h"

namespace tilescope {
namespace {

/// From this schema version on all runs of a series are a text; before, each was a row.
constexpr std::int64_t firstVersionWithRunsInText = 15;

/// The row of the info table with the number of rows of vars_info.
constexpr std::string_view onTilesKey = "variables.tiles";

constexpr auto categoryTable = storedTable<MemoryCategory>(
    {"var_categories"}, [](auto& to, auto& m) { to(rowNumber("id"), field("name", m)); });

constexpr auto variableTable = storedTable<Variable>({"variables"}, [](auto& to, auto& v) {
    to(rowNumber("id"), field("name", v.name), givenBack("category"),
       field("operation", v.operation), field("always_live", v.alwaysLive),
       field("liveness_class", v.liveness), field("type", v.type), field("shape", v.shape),
       derived("total_bytes", v.bytes.sum()), derived("max_tile_bytes", v.bytes.max().value),
       derived("max_tile", v.bytes.max().tile), givenBack("series", firstVersionWithSeries));
});

void writeVariables(const Profile& profile, const Database& db) {
    writeRows(db, categoryTable, memoryCategories);
    std::int64_t onTiles = 0;
    RowWriter variable(db, variableTable);
    Insert runs(db, "variable_runs");
    DistinctSeries distinct;
    for (const Variable& v : profile.variables) {
        const auto category = static_cast<int>(v.category);
        if (v.bytes.empty()) {
            variable(v, category, std::optional<std::int64_t>());
            continue;
        }
        onTiles += v.bytes.tilesUsed();
        const DistinctSeries::Numbered series = distinct(v.bytes);
        variable(v, category, series.number);
        if (series.isNew)
            runs(series.number, runsText(v.bytes));
    }
    Insert(db, "info")(onTilesKey, onTiles);
}

/// The series of files with a row for each run.
std::vector<TileSeries> readSeriesInRows(const ProfileReader::Impl& file) {
    std::vector<TileSeries> all;
    Statement run = file.db.prepare(
        "SELECT series, first_tile, tiles, bytes FROM variable_series ORDER BY 1, 2");
    while (run.step()) {
        const std::int64_t id = run.integer(0);
        const auto next = static_cast<std::int64_t>(all.size());
        if (id != next && id != next - 1)
            throw DamagedProfile("rows of variable_series are missing");
        if (id == next)
            all.emplace_back();
        file.appendRun(all.back(), run.integer(1), run.integer(2), run.integer(3));
    }
    return all;
}

/// The distinct series of variables' bytes, by id; none in files before firstVersionWithSeries.
std::vector<TileSeries> readSeries(const ProfileReader::Impl& file) {
    std::vector<TileSeries> all;
    if (!file.has(firstVersionWithSeries))
        return all;
    if (!file.has(firstVersionWithRunsInText))
        return readSeriesInRows(file);
    Statement row = file.db.prepare("SELECT id, runs FROM variable_runs ORDER BY id");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(all.size()))
            throw DamagedProfile("rows of variable_runs are missing");
        all.push_back(seriesOfRuns(file, row.blob(1)));
    }
    return all;
}

/// The categories by their number in the file.
std::map<std::int64_t, MemoryCategory> readCategories(const ProfileReader::Impl& file) {
    std::map<std::int64_t, MemoryCategory> categories;
    Statement row = file.db.prepare("SELECT id, name FROM var_categories");
    while (row.step())
        categories.emplace(row.integer(0), valueAt<MemoryCategory>(row, 1));
    return categories;
}

IdVector<VariableId, Variable> readVariables(const ProfileReader::Impl& file) {
    IdVector<VariableId, Variable> variables;
    const std::map<std::int64_t, MemoryCategory> categories = readCategories(file);
    std::vector<TileSeries> series = readSeries(file);
    std::size_t runs = 0;
    variables.reserve(rowsOf(file.rows(), variableTable));
    eachRow(file.rows(), variableTable, [&](Variable& v, const Statement& given) {
        const auto category = categories.find(given.integer(0));
        if (category == categories.end())
            throw DamagedProfile("a variable has an unknown category");
        v.category = category->second;
        if (!given.isNull(1))
            v.bytes = element(series, given.integer(1));
        runs += v.bytes.runs().size();
        if (runs > mostRuns)
            throw DamagedProfile("more variables share a series than there can be");
        variables.add(std::move(v));
    });
    if (!file.has(firstVersionWithSeries)) {
        Statement tiles = file.db.prepare(
            "SELECT variable, first_tile, tiles, bytes FROM variable_tiles ORDER BY 1, 2");
        while (tiles.step())
            file.appendRun(element(variables, tiles.integer(0)).bytes, tiles.integer(1),
                           tiles.integer(2), tiles.integer(3));
    }
    return variables;
}

} // namespace

std::int64_t ProfileReader::variablesOnTiles() const {
    Statement stored = impl_->db.prepare("SELECT value FROM info WHERE key = ?");
    stored.bind(0, onTilesKey);
    if (stored.step())
        return std::max<std::int64_t>(0, stored.integer(0));
    return impl_->db.integer(
        "SELECT max(0, CAST(total(tiles) AS INTEGER)) FROM variable_tiles WHERE bytes != 0");
}

TableGroup variableTables() {
    return {1,
            tablesSql(R"sql(
-- Names of categories of variables.
CREATE TABLE var_categories{};

-- Lowered variables. liveness_class is NULL for always-live ones. series (since version 8): their
-- bytes by tile, NULL if they are nowhere.
CREATE TABLE variables{};

-- Bytes by tile, each distinct series once (since version 15): runs is JSON,
-- [[first_tile, tiles, bytes], ...]; each has the bytes on each of `tiles` tiles from first_tile on.
CREATE TABLE variable_runs(id INTEGER PRIMARY KEY, runs TEXT);

-- The same with a row for each run (a table before version 15; since version 8).
CREATE VIEW variable_series AS
    SELECT v.id AS series, json_extract(r.value, '$[0]') AS first_tile,
        json_extract(r.value, '$[1]') AS tiles, json_extract(r.value, '$[2]') AS bytes
    FROM variable_runs v, json_each(v.runs) r;

-- Bytes of a variable on each of `tiles` tiles from first_tile on (a table before version 8).
CREATE VIEW variable_tiles AS
    SELECT v.id AS variable, s.first_tile AS first_tile, s.tiles AS tiles, s.bytes AS bytes
    FROM variables v JOIN variable_series s ON s.series = v.series;

-- One row per lowered variable and tile, as in the original.
CREATE VIEW vars_info AS
    WITH RECURSIVE piece(variable, tile, left_over, bytes) AS (
        SELECT variable, first_tile, tiles - 1, bytes FROM variable_tiles
        UNION ALL
        SELECT variable, tile + 1, left_over - 1, bytes FROM piece WHERE left_over > 0)
    SELECT piece.variable AS id, name, bytes AS size_bytes, category, tile
    FROM piece JOIN variables ON variables.id = piece.variable;
)sql",
                      categoryTable, variableTable),
            {part<&Profile::variables>(writeVariables, readVariables)}};
}

} // namespace tilescope
