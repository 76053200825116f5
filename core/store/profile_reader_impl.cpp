#include "core/store/profile_reader_impl.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/database/page_checksum.h"
#include "core/database/row_access.h"
#include "core/store/info_fields.h"
#include "core/store/remote_store.h"
#include "core/store/schema.h"
#include "core/store/sql_functions.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

void checkHeader(const Database& db, const fs::path& file) {
    const std::int64_t id = db.integer("PRAGMA application_id");
    if (id != profileApplicationId)
        throw UserError(fmt::format(
            "'{}' is not a TileScope profile: it is a SQLite file of another application "
            "(application_id {:#x}). Profiles come from 'tilescope run'.",
            file.string(), id));
    const std::int64_t version = db.integer("PRAGMA user_version");
    if (version > profileSchemaVersion)
        throw UserError(fmt::format("'{}' has schema version {}, this TileScope reads up to {}: "
                                    "open it with a newer TileScope.",
                                    file.string(), version, profileSchemaVersion));
    if (version < 1)
        throw UserError(
            fmt::format("'{}' has no schema version: write the profile again.", file.string()));
    // A copy that was cut short still has a good first page: compare with the size it states.
    const std::int64_t expected = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
    std::error_code error;
    const auto actual = static_cast<std::int64_t>(fs::file_size(file, error));
    if (!error && actual < expected)
        throw UserError(fmt::format("'{}' is damaged or truncated: {} of {} bytes are there. "
                                    "Write the profile again.",
                                    file.string(), actual, expected));
}

void checkFile(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status))
        throw UserError(fmt::format("cannot open '{}': no such file", file.string()));
    if (fs::is_directory(status))
        throw UserError(fmt::format(
            "cannot open '{}': it is a directory; name the profile.pop in it", file.string()));
    if (fs::is_regular_file(status) && fs::file_size(file, error) == 0 && !error)
        throw UserError(fmt::format("'{}' is empty: the run that should have written it did not "
                                    "finish. Write the profile again.",
                                    file.string()));
}

/// The schema version from which on the info table has a field.
std::int64_t firstVersionWith(std::string_view field) {
    if (field == "target.streamingMemoryBytesPerSecond")
        return firstVersionWithRemoteBuffers;
    constexpr std::int64_t firstVersionWithSystems = 6;
    constexpr std::array<std::string_view, 3> ofSystems{
        "target.systemIpus", "target.linkDomainIpus", "target.gatewayBytesPerSecond"};
    if (std::find(ofSystems.begin(), ofSystems.end(), field) != ofSystems.end())
        return firstVersionWithSystems;
    return 0;
}

} // namespace

ProfileReader::Impl::Impl(const fs::path& file)
    : path(file)
    , db((checkFile(file), Database(file, Database::Mode::ReadOnly))) {
    checkHeader(db, file);
    registerSqlFunctions(db);
    loadInfo();
}

void ProfileReader::Impl::loadInfo() {
    Statement row = db.prepare("SELECT key, value FROM info");
    while (row.step()) {
        const std::string key = row.text(0);
        if (key == sealedKey && !isSealed(path))
            throw UserError(fmt::format("'{}' is damaged: its check sums are gone. Write the "
                                        "profile again.",
                                        path.string()));
        const auto under = [&](std::string_view prefix, auto& map, auto value) {
            if (!key.starts_with(prefix))
                return false;
            map[key.substr(prefix.size())] = value;
            return true;
        };
        if (!under("option.", info.options, row.text(1)) &&
            !under("engine.", info.engineOptions, row.text(1)))
            under("timing.", info.timings, row.real(1));
    }
    visitInfoFields(info, [&](std::string_view key, auto& field) {
        Statement value = db.prepare("SELECT value FROM info WHERE key = ?");
        value.bind(0, key);
        const bool found = value.step();
        if (!found && db.integer("PRAGMA user_version") < firstVersionWith(key))
            return;
        if (!found)
            throw UserError(fmt::format("'{}' is damaged: '{}' is missing from its info table",
                                        path.string(), key));
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, std::string>)
            field = value.text(0);
        else if constexpr (std::is_same_v<Field, double>)
            field = value.real(0);
        else
            field = static_cast<Field>(infoNumber(value, key, std::numeric_limits<Field>::max()));
    });
    checkMachine();
}

void ProfileReader::Impl::checkMachine() const {
    const Target& t = info.target;
    // Sizes of allocations follow from these: a damaged file must not ask for terabytes.
    constexpr std::int64_t mostTiles = 1'000'000;
    constexpr std::int64_t mostIpus = 1024; // four times what the options take
    if (t.ipus < 1 || t.ipus > mostIpus || t.tilesPerIpu < 1 ||
        std::int64_t{t.ipus} * t.tilesPerIpu > mostTiles)
        throw UserError(fmt::format("'{}' is damaged: {} IPUs of {} tiles cannot be", path.string(),
                                    t.ipus, t.tilesPerIpu));
}

TileSeries ProfileReader::Impl::series(const Statement& row, int at) const {
    TileSeries series = seriesAt(row, at);
    for (const TileRun& run : series.runs())
        if (run.value < 0 || run.end > info.target.totalTiles())
            throw DamagedProfile("a per-tile blob is not of this machine");
    return series;
}

void ProfileReader::Impl::checkIds(std::string_view table, std::string_view id,
                                   std::size_t rows) const {
    Statement ends = db.prepare(
        fmt::format("SELECT (SELECT min({0}) FROM {1}), (SELECT max({0}) FROM {1})", id, table));
    if (rows > 0 && ends.step() &&
        (ends.integer(0) != 0 || ends.integer(1) != static_cast<std::int64_t>(rows) - 1))
        throw DamagedProfile(fmt::format("rows of {} are missing", table));
}

std::int64_t ProfileReader::Impl::infoNumber(const Statement& row, std::string_view key,
                                             std::int64_t most) const {
    const std::int64_t value = row.integer(0);
    if (value < 0 || value > most)
        throw UserError(fmt::format("'{}' is damaged: '{}' cannot be {} in its info table",
                                    path.string(), key, value));
    return value;
}

} // namespace tilescope
