// SQL functions over the blobs of a profile: tile_sum, tile_max, tile_at, tile_runs, tile_values,
// tile_map (see the schema).
#pragma once

namespace tilescope {

class Database;

/// Makes the functions known to a connection.
void registerSqlFunctions(const Database& db);

} // namespace tilescope
