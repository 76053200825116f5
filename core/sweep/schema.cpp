#include "core/sweep/schema.h"

namespace tilescope {
namespace {

constexpr std::string_view schemaSql =
    R"sql(-- Results of a TileScope sweep, schema version 1 (PRAGMA user_version), application_id 0x54537377.
--
-- Sizes are bytes, cycles are clock cycles of the tile, times are seconds.
-- A point stands here once it is done, in one transaction; the others are still to be simulated.
-- A view `results` has a row for each point: the value of each axis as a column named by its key
-- (text), then the columns of `points`.

-- What was swept: model, model_digest (of its file; empty for a built-in model), creator.
CREATE TABLE info(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Options of the job that all points share and that are not the default.
CREATE TABLE options(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- The values of each axis in order. axis: 0 is the one that changes slowest.
CREATE TABLE axes(axis INTEGER, key TEXT, position INTEGER, value TEXT,
    PRIMARY KEY(axis, position)) WITHOUT ROWID;

-- id: number of the point in the grid, from 0, the last axis changing fastest.
-- status: fits; oom: compiled, but some tiles have too little memory; error: no result.
-- exit_code: of the run; 128 + N if signal N ended it. message: why it does not fit or failed.
-- max_tile_*: of the fullest tile. total_*, always_live, max_not_always_live: over all tiles.
-- Memory is NULL after an error; cycles, seconds and throughput (samples per second) are NULL
-- unless the point fits. warnings: number of warnings of the run.
-- profile: its path below the directory of this file; NULL if it was not kept.
-- host_seconds: how long the simulation took.
CREATE TABLE points(id INTEGER PRIMARY KEY, status TEXT NOT NULL, exit_code INTEGER, message TEXT,
    max_tile_including_gaps INTEGER, max_tile_excluding_gaps INTEGER,
    total_including_gaps INTEGER, total_excluding_gaps INTEGER,
    always_live INTEGER, max_not_always_live INTEGER, tiles_over_limit INTEGER,
    cycles INTEGER, seconds REAL, throughput REAL, warnings INTEGER, profile TEXT,
    host_seconds REAL);

-- Where a point lies on each axis.
CREATE TABLE coordinates(point INTEGER, key TEXT, value TEXT,
    PRIMARY KEY(point, key)) WITHOUT ROWID;
)sql";

} // namespace

std::string_view sweepSchemaSql() {
    return schemaSql;
}

} // namespace tilescope
