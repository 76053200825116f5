// Lowered variables, their categories and where they are.
#include <fmt/format.h>
#include <optional>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/distinct_series.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

/// Over all variables: a hundred times as many as the largest models have. Rows that share a series
/// are short, so a small damaged file could take all memory.
constexpr std::size_t mostRuns = std::size_t{1} << 26;

/// The rows of series, and a variable's own summary of its series.
class VariableSeries {
public:
    struct Entry {
        std::optional<std::int64_t> id; ///< none if the variable is on no tile
        std::int64_t sum = 0;
        TileSeries::Peak peak;
    };

    explicit VariableSeries(const Database& db)
        : rows_(db, "variable_series") {}

    Entry add(const TileSeries& bytes) {
        if (bytes.empty())
            return {};
        const DistinctSeries::Numbered series = distinct_(bytes);
        if (series.isNew) {
            entries_.push_back({series.number, bytes.sum(), bytes.max()});
            for (const TileRun& run : bytes.runs())
                rows_({series.number, run.first, run.tiles(), run.value});
        }
        return entries_[static_cast<std::size_t>(series.number)];
    }
    void finish() { rows_.finish(); }

private:
    IntegerRows<4> rows_;
    DistinctSeries distinct_;
    std::vector<Entry> entries_;
};

void writeVariables(const Profile& profile, const Database& db) {
    Insert category(db, "var_categories");
    for (const MemoryCategory c : memoryCategories)
        category(static_cast<std::int64_t>(c), toString(c));
    Insert row(db, "variables");
    VariableSeries series(db);
    std::int64_t id = 0;
    for (const Variable& v : profile.variables) {
        const VariableSeries::Entry bytes = series.add(v.bytes);
        row(id++, v.name, static_cast<std::int64_t>(v.category), v.operation, v.alwaysLive,
            v.liveness, v.type, v.shape, bytes.sum, bytes.peak.value, bytes.peak.tile, bytes.id);
    }
    series.finish();
}

} // namespace

std::vector<TileSeries> ProfileReader::Impl::variableSeries() const {
    std::vector<TileSeries> all;
    Statement run =
        db.prepare("SELECT series, first_tile, tiles, bytes FROM variable_series ORDER BY 1, 2");
    while (run.step()) {
        const std::int64_t id = run.integer(0);
        const auto next = static_cast<std::int64_t>(all.size());
        if (id != next && id != next - 1)
            throw DamagedProfile("rows of variable_series are missing");
        if (id == next)
            all.emplace_back();
        appendRun(all.back(), run.integer(1), run.integer(2), run.integer(3));
    }
    return all;
}

IdVector<VariableId, Variable> ProfileReader::variables() const {
    IdVector<VariableId, Variable> variables;
    const bool withSeries = impl_->has(firstVersionWithSeries);
    std::vector<TileSeries> series;
    if (withSeries)
        series = impl_->variableSeries();
    const References<OperationId> operationAt(impl_->db, "operations");
    std::size_t runs = 0;
    Statement row = impl_->db.prepare(
        fmt::format("SELECT v.name, c.name, operation, always_live, liveness_class, type, shape, "
                    "{} FROM variables v LEFT JOIN var_categories c ON c.id = v.category "
                    "ORDER BY v.id",
                    withSeries ? "series" : "NULL"));
    while (row.step()) {
        Variable v;
        v.name = row.text(0);
        v.category = known(memoryCategoryFrom(row.text(1)), row, 1);
        v.operation = operationAt(row, 2);
        v.alwaysLive = row.integer(3) != 0;
        v.liveness = idAt<LivenessClassId>(row, 4);
        v.type = row.text(5);
        v.shape = row.text(6);
        if (!row.isNull(7))
            v.bytes = element(series, row.integer(7));
        runs += v.bytes.runs().size();
        if (runs > mostRuns)
            throw DamagedProfile("more variables share a series than there can be");
        variables.add(std::move(v));
    }
    if (!withSeries) {
        Statement tiles = impl_->db.prepare(
            "SELECT variable, first_tile, tiles, bytes FROM variable_tiles ORDER BY 1, 2");
        while (tiles.step())
            impl_->appendRun(element(variables, tiles.integer(0)).bytes, tiles.integer(1),
                             tiles.integer(2), tiles.integer(3));
    }
    impl_->checkIds("variables", "id", variables.size());
    return variables;
}

TableGroup variableTables() {
    return {1,
            R"sql(
-- Names of categories of variables.
CREATE TABLE var_categories(id INTEGER PRIMARY KEY, name TEXT);

-- Lowered variables. liveness_class is NULL for always-live ones. series (since version 8): their
-- bytes by tile, NULL if they are nowhere.
CREATE TABLE variables(id INTEGER PRIMARY KEY, name TEXT, category INTEGER, operation INTEGER,
    always_live INTEGER, liveness_class INTEGER, type TEXT, shape TEXT,
    total_bytes INTEGER, max_tile_bytes INTEGER, max_tile INTEGER, series INTEGER);

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
            writeVariables, [](const ProfileReader& reader, Profile& profile) {
                profile.variables = reader.variables();
            }};
}

} // namespace tilescope
