#include "core/store/profile_reader_impl.h"

#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/base/rewritten_file.h"
#include "core/store/schema.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

void checkHeader(const Database& db, const fs::path& file, const FileStamp& stamp) {
    const std::int64_t id = db.integer("PRAGMA application_id");
    if (id == captureApplicationId)
        throw UserError(fmt::format("'{}' is a capture: 'tilescope import' makes a profile of it",
                                    file.string()));
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
    // A truncated copy still has a good first page: compare with the size it states.
    const std::int64_t expected = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
    const std::int64_t actual = stamp.bytes;
    if (stamp == stampOf(file) && actual < expected)
        throw UserError(fmt::format("'{}' is damaged or truncated: {} of {} bytes are there. "
                                    "Write the profile again.",
                                    file.string(), actual, expected));
}

void checkFile(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status))
        throw UserError(fmt::format("cannot open '{}': no such file", file.string()));
    if (fs::is_directory(status)) {
        const bool hasProfile = fs::exists(file / "profile.pop", error);
        throw UserError(fmt::format("cannot open '{}': it is a directory{}", file.string(),
                                    hasProfile
                                        ? "; name the profile.pop in it"
                                        : " without a profile.pop; name a profile that 'tilescope "
                                          "run' has written"));
    }
    // Reading a pipe would wait for a writer, and a device may have no end.
    if (!fs::is_regular_file(status))
        throw UserError(fmt::format("cannot open '{}': it is not a regular file", file.string()));
    if (fs::file_size(file, error) == 0 && !error)
        throw UserError(fmt::format("'{}' is empty: the run that should have written it did not "
                                    "finish. Write the profile again.",
                                    file.string()));
}

} // namespace

ProfileReader::Impl::Impl(const fs::path& file)
    : path(file)
    , stamp(stampOf(file))
    , db((checkFile(file), Database(file, Database::Mode::ReadOnly)))
    , version((checkHeader(db, file, stamp), db.integer("PRAGMA user_version")))
    , info((checkSchema(db, version), readInfo(db, file, version))) {
    // Otherwise the stamp may not belong to the file that was opened.
    checkStamp(stamp);
    registerSqlFunctions(db);
}

void ProfileReader::Impl::checkStamp(const FileStamp& expected) const {
    if (stampOf(path) != expected)
        throw RewrittenFile(path.string());
}

void ProfileReader::Impl::appendRun(TileSeries& series, std::int64_t first, std::int64_t tiles,
                                    std::int64_t value) const {
    const std::int64_t all = info.target.totalTiles();
    if (value < 0 || value > TileSeries::largestStored)
        throw DamagedProfile("a row has an impossible size");
    if (first < 0 || first > all || tiles < 0 || tiles > all - first ||
        (!series.empty() && first < series.runs().back().end))
        throw DamagedProfile("a row names impossible tiles");
    series.append(static_cast<std::int32_t>(first), static_cast<std::int32_t>(first + tiles),
                  value);
}

} // namespace tilescope
