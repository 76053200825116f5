// Lowered variables, their categories and where they are.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeVariables(const Profile& profile, const Database& db) {
    Insert category(db, "var_categories");
    for (const MemoryCategory c : memoryCategories)
        category(static_cast<std::int64_t>(c), toString(c));
    Insert row(db, "variables");
    Insert tiles(db, "variable_tiles");
    std::int64_t id = 0;
    for (const Variable& v : profile.variables) {
        const TileSeries::Peak peak = v.bytes.max();
        row(id, v.name, static_cast<std::int64_t>(v.category), v.operation, v.alwaysLive,
            v.liveness, v.type, v.shape, v.bytes.sum(), peak.value, peak.tile);
        for (const TileRun& run : v.bytes.runs())
            tiles(id, run.first, run.tiles(), run.value);
        ++id;
    }
}

} // namespace

IdVector<VariableId, Variable> ProfileReader::variables() const {
    IdVector<VariableId, Variable> variables;
    const References<OperationId> operationAt(impl_->db, "operations");
    Statement row = impl_->db.prepare(
        "SELECT v.name, c.name, operation, always_live, liveness_class, type, shape "
        "FROM variables v LEFT JOIN var_categories c ON c.id = v.category ORDER BY v.id");
    while (row.step()) {
        Variable v;
        v.name = row.text(0);
        v.category = known(memoryCategoryFrom(row.text(1)), row, 1);
        v.operation = operationAt(row, 2);
        v.alwaysLive = row.integer(3) != 0;
        v.liveness = idAt<LivenessClassId>(row, 4);
        v.type = row.text(5);
        v.shape = row.text(6);
        variables.add(std::move(v));
    }
    Statement tiles = impl_->db.prepare(
        "SELECT variable, first_tile, tiles, bytes FROM variable_tiles ORDER BY 1, 2");
    while (tiles.step())
        impl_->appendRun(element(variables, tiles.integer(0)).bytes, tiles.integer(1),
                         tiles.integer(2), tiles.integer(3));
    impl_->checkIds("variables", "id", variables.size());
    return variables;
}

TableGroup variableTables() {
    return {1,
            R"sql(
-- Names of categories of variables.
CREATE TABLE var_categories(id INTEGER PRIMARY KEY, name TEXT);

-- Lowered variables. liveness_class is NULL for always-live ones.
CREATE TABLE variables(id INTEGER PRIMARY KEY, name TEXT, category INTEGER, operation INTEGER,
    always_live INTEGER, liveness_class INTEGER, type TEXT, shape TEXT,
    total_bytes INTEGER, max_tile_bytes INTEGER, max_tile INTEGER);

-- Bytes of a variable on each of `tiles` tiles from first_tile on.
CREATE TABLE variable_tiles(variable INTEGER, first_tile INTEGER, tiles INTEGER, bytes INTEGER,
    PRIMARY KEY(variable, first_tile)) WITHOUT ROWID;

-- One row per lowered variable and tile, as the original has it.
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
