// Lowered variables, their categories and where they are.
#include "core/store/distinct_series.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

/// From this schema version on each distinct series of bytes is in the file once.
constexpr std::int64_t firstVersionWithSeries = 8;
/// Over all variables: a hundred times as many as the largest models have. Rows that share a series
/// are short, so a small damaged file could take all memory.
constexpr std::size_t mostRuns = std::size_t{1} << 26;

constexpr auto categoryTable = storedTable<MemoryCategory>(
    {"var_categories"}, [](auto& to, auto& m) { to(rowNumber("id"), field("name", m)); });

constexpr auto variableTable = storedTable<Variable>(
    {.name = "variables",
     .from = "(SELECT v.*, c.name AS category_name FROM variables v LEFT JOIN var_categories c ON "
             "c.id = v.category)"},
    [](auto& to, auto& v) {
        to(rowNumber("id"), field("name", v.name),
           derived("category", static_cast<int>(v.category)), readFrom("category_name", v.category),
           field("operation", v.operation), field("always_live", v.alwaysLive),
           field("liveness_class", v.liveness), field("type", v.type), field("shape", v.shape),
           derived("total_bytes", v.bytes.sum()), derived("max_tile_bytes", v.bytes.max().value),
           derived("max_tile", v.bytes.max().tile), givenBack("series", firstVersionWithSeries));
    });

void writeVariables(const Profile& profile, const Database& db) {
    writeRows(db, categoryTable, memoryCategories);
    RowWriter variable(db, variableTable);
    IntegerRows<4> run(db, "variable_series");
    DistinctSeries distinct;
    for (const Variable& v : profile.variables) {
        if (v.bytes.empty()) {
            variable(v, std::optional<std::int64_t>());
            continue;
        }
        const DistinctSeries::Numbered series = distinct(v.bytes);
        variable(v, series.number);
        if (series.isNew)
            for (const TileRun& r : v.bytes.runs())
                run({series.number, r.first, r.tiles(), r.value});
    }
    run.finish();
}

/// The distinct series of variables' bytes, by id; none in files before firstVersionWithSeries.
std::vector<TileSeries> readSeries(const ProfileReader::Impl& file) {
    std::vector<TileSeries> all;
    if (!file.has(firstVersionWithSeries))
        return all;
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

IdVector<VariableId, Variable> readVariables(const ProfileReader::Impl& file) {
    IdVector<VariableId, Variable> variables;
    std::vector<TileSeries> series = readSeries(file);
    std::size_t runs = 0;
    variables.reserve(rowsOf(file.rows(), variableTable));
    eachRow(file.rows(), variableTable, [&](Variable& v, const Statement& given) {
        if (!given.isNull(0))
            v.bytes = element(series, given.integer(0));
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

TableGroup variableTables() {
    return {1,
            tablesSql(R"sql(
-- Names of categories of variables.
CREATE TABLE var_categories{};

-- Lowered variables. liveness_class is NULL for always-live ones. series (since version 8): their
-- bytes by tile, NULL if they are nowhere.
CREATE TABLE variables{};

-- Bytes on each of `tiles` tiles from first_tile on (since version 8); variables with the same bytes
-- on all tiles share a series.
CREATE TABLE variable_series(series INTEGER, first_tile INTEGER, tiles INTEGER, bytes INTEGER,
    PRIMARY KEY(series, first_tile)) WITHOUT ROWID;

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
