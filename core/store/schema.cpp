#include "core/store/schema.h"

#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::string_view preamble =
    R"sql(-- TileScope profile, schema version 9 (PRAGMA user_version), application_id 0x54536370.
--
-- The last 8 bytes of each page, which SQLite reserves, are a checksum of the page: other programs
-- read the file as any other, and what they or a bad disk change in it is noticed by TileScope.
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

} // namespace

const std::string& profileSchemaSql() {
    static const std::string sql = schemaSql();
    return sql;
}

} // namespace tilescope
