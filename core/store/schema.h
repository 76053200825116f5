// The file format of a profile: SQLite, with the schema documented in the schema itself,
// and SQL functions over its blobs: tile_sum, tile_max, tile_at, tile_runs, tile_values, tile_map.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

/// SQLite application_id of a profile: the letters "TScp".
inline constexpr std::int32_t profileApplicationId = 0x54536370;

/// That of a capture of another tool's profile (core/import): the letters "TSCP".
inline constexpr std::int32_t captureApplicationId = 0x54534350;

/// SQLite user_version. A reader rejects a newer one and supports every older one.
inline constexpr std::int32_t profileSchemaVersion = 17;

/// The documented statements that create an empty profile, as `tilescope schema` prints them.
const std::string& profileSchemaSql();

class Database;

/// Throws DamagedProfile if a table that is read is something else in the file, or a view differs
/// from the one that this program writes: reading another view may never end. Views before version
/// 8 are not read, so only their kind matters.
void checkSchema(const Database& db, std::int64_t version);

/// Registers the functions with a connection.
void registerSqlFunctions(const Database& db);

} // namespace tilescope
