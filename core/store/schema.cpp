#include "core/store/schema.h"

#include <fmt/format.h>
#include <map>

#include "core/base/damaged_profile.h"
#include "core/database/database.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::string_view preamble =
    R"sql(-- TileScope profile, schema version 17 (PRAGMA user_version), application_id 0x54536370.
--
-- The last 8 bytes of each page, which SQLite reserves, are a checksum of the page: other programs
-- can still read the file, and TileScope notices what they or a bad disk change in it.
--
-- Blobs named *_by_tile are TileSeries, a value per tile as runs: LEB128 numbers: count of runs,
-- then for each run the tiles since the end of the run before, its length in tiles, and the zigzag
-- difference of its value from the run before. `tilescope query` and the window expand them with
--   tile_sum(blob), tile_max(blob), tile_at(blob, tile)      functions
--   tile_runs(blob): first_tile, tiles, value                table-valued functions
--   tile_values(blob): tile, value
--   tile_map(tile): variable, offset, bytes                  addresses on one tile
-- Tiles are numbered over the whole device: ipu * tiles per IPU + tile of the IPU.
-- Sizes are bytes, times are clock cycles of the tile, offsets count from the tile's memory base.
-- The tables and views steps, steps_by_ipu, programs, compute_sets, vars_info, var_categories and
-- memory_by_tile have the public names of the original and are readable by plain sqlite3.
)sql";

std::string schemaSql() {
    std::string sql(preamble);
    for (const TableGroup& group : tableGroups())
        sql += group.create;
    return sql;
}

struct SchemaObject {
    std::string sql;
    bool stored = true; ///< false: a virtual table, or a view
};
using SchemaObjects = std::map<std::string, SchemaObject>;

SchemaObjects objectsOf(const Database& db) {
    SchemaObjects objects;
    Statement row = db.prepare("SELECT name, sql, coalesce(rootpage, 0) FROM sqlite_master "
                               "WHERE type IN ('table', 'view')");
    while (row.step())
        objects[row.text(0)] = {row.text(1), row.integer(2) != 0};
    return objects;
}

const SchemaObjects& ownObjects() {
    static const SchemaObjects objects = [] {
        const Database db(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
        db.execute(profileSchemaSql());
        return objectsOf(db);
    }();
    return objects;
}

/// From this version on views have their present definition.
constexpr std::int64_t firstVersionWithTheseViews = 9;

/// Tables that became views in version 8.
bool wasTable(std::string_view name) {
    return name == "variable_tiles" || name == "exchanges" || name == "compute_sets";
}

} // namespace

void checkSchema(const Database& db, std::int64_t version) {
    for (const auto& [name, object] : objectsOf(db)) {
        const auto own = ownObjects().find(name);
        if (own == ownObjects().end())
            continue;
        if (object.sql == own->second.sql)
            continue;
        if (object.stored)
            continue;
        if (!own->second.stored && version >= firstVersionWithTheseViews)
            throw DamagedProfile(fmt::format("the view '{}' is not a profile's", name));
        if (own->second.stored || wasTable(name))
            throw DamagedProfile(fmt::format("'{}' is not a table of the file", name));
    }
}

const std::string& profileSchemaSql() {
    static const std::string sql = schemaSql();
    return sql;
}

} // namespace tilescope
