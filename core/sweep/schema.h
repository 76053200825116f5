// The file format of a sweep's results: SQLite, with the schema documented in the schema itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope {

/// SQLite application_id of a results database: the letters "TSsw".
inline constexpr std::int32_t sweepApplicationId = 0x54537377;

/// SQLite user_version. A reader refuses a newer one and knows every older one.
inline constexpr std::int32_t sweepSchemaVersion = 1;

/// The documented statements that create an empty results database, as `tilescope schema --sweep`
/// prints them.
std::string_view sweepSchemaSql();

} // namespace tilescope
