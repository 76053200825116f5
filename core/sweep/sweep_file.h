// The file format of a results database, its reading and its checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/database/database.h"
#include "core/sweep/sweep_store.h"

namespace tilescope {

/// The name of the file in errors.
DatabaseOrigin sweepOrigin(const std::filesystem::path& file);

enum class MayBeMissing { No, Yes };

/// Rejects files that SQLite must not open for writing, because it would treat them as its own. An
/// empty file counts as missing. Throws UserError.
void checkIsSqlite(const std::filesystem::path& file, MayBeMissing mayBeMissing);

/// Checks application and version. Throws UserError.
void checkIsSweep(const Database& db, const std::filesystem::path& file);

SweepIdentity readIdentity(const Database& db);
SweepGrid readGrid(const Database& db, const std::filesystem::path& file);

/// How the sweep of a file differs from the requested one, as text; "" if it does not.
std::string differenceOf(const SweepIdentity& there, const SweepIdentity& wanted,
                         const SweepGrid& gridThere, const SweepGrid& gridWanted);

/// SQLite application_id of a results database: the letters "TSsw".
inline constexpr std::int32_t sweepApplicationId = 0x54537377;

/// SQLite user_version. A reader rejects a newer one and supports every older one.
inline constexpr std::int32_t sweepSchemaVersion = 1;

/// The documented statements that create an empty results database, as `tilescope schema --sweep`
/// prints them.
std::string_view sweepSchemaSql();

} // namespace tilescope
