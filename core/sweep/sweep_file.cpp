#include "core/sweep/sweep_file.h"

#include <array>
#include <fmt/format.h>
#include <fstream>

#include "core/base/error.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view sqliteMagic{"SQLite format 3\0", 16};

// Values in a message: enough to tell two axes apart.
constexpr std::size_t mostValuesShown = 6;

std::string valuesText(const std::vector<std::string>& values) {
    if (values.size() <= mostValuesShown)
        return fmt::format("{}", fmt::join(values, ", "));
    return fmt::format("{}, {}, ... {} ({} values)", values[0], values[1], values.back(),
                       values.size());
}

std::string keysText(const SweepGrid& grid) {
    std::vector<std::string> keys;
    for (const SweepAxis& axis : grid.axes())
        keys.push_back(axis.key);
    return fmt::format("{}", fmt::join(keys, ", "));
}

std::string optionDifference(const OptionValues& there, const OptionValues& wanted) {
    const auto textOf = [](const OptionValues& options, const std::string& key) {
        const auto found = options.find(key);
        return found == options.end() ? std::string("not set") : found->second;
    };
    OptionValues all = there;
    all.insert(wanted.begin(), wanted.end());
    for (const auto& [key, value] : all)
        if (textOf(there, key) != textOf(wanted, key))
            return fmt::format("option {} is {} there and {} now", key, textOf(there, key),
                               textOf(wanted, key));
    return "";
}

std::string gridDifference(const SweepGrid& there, const SweepGrid& wanted) {
    if (keysText(there) != keysText(wanted))
        return fmt::format("it varies {}, not {}", keysText(there), keysText(wanted));
    for (std::size_t i = 0; i < wanted.axes().size(); ++i)
        if (there.axes()[i] != wanted.axes()[i])
            return fmt::format("{} has the values {} there and {} now", wanted.axes()[i].key,
                               valuesText(there.axes()[i].values),
                               valuesText(wanted.axes()[i].values));
    return "";
}

std::optional<PointMemory> memoryAt(const Statement& row) {
    if (row.isNull(4))
        return std::nullopt;
    return PointMemory{row.integer(4), row.integer(5), row.integer(6), row.integer(7),
                       row.integer(8), row.integer(9), row.integer(10)};
}

[[noreturn]] void failDamaged(const fs::path& file, const std::string& how) {
    throw UserError(fmt::format("'{}' is damaged or truncated: {}. {}", file.string(), how,
                                sweepOrigin(file).remedy));
}

PointResult pointAt(const Statement& row, PointStatus status) {
    PointResult result;
    result.status = status;
    result.exitCode = static_cast<int>(row.integer(2));
    result.message = row.text(3);
    result.memory = memoryAt(row);
    if (!row.isNull(11))
        result.time = PointTime{row.integer(11), row.real(12), row.real(13)};
    result.warnings = row.integer(14);
    result.profile = row.text(15);
    result.hostSeconds = row.real(16);
    return result;
}

/// A process that was killed while writing leaves a journal, which only a connection with write
/// access rolls back.
void recover(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file.string() + "-journal", error))
        return;
    try {
        (void)Database(sweepOrigin(file), Database::Mode::Create).integer("PRAGMA user_version");
    } catch (const UserError&) {
        // The reading that follows reports what is wrong.
    }
}

} // namespace

DatabaseOrigin sweepOrigin(const fs::path& file) {
    return {file.string(), "results database of a sweep", "Remove it to start the sweep anew."};
}

void checkIsSqlite(const fs::path& file, MayBeMissing mayBeMissing) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status)) {
        if (mayBeMissing == MayBeMissing::Yes)
            return;
        throw UserError(fmt::format("cannot open '{}': no such file", file.string()));
    }
    if (fs::is_directory(status))
        throw UserError(fmt::format("cannot open '{}': it is a directory", file.string()));
    if (!fs::is_regular_file(status))
        throw UserError(fmt::format("cannot open '{}': it is not a regular file", file.string()));
    std::array<char, sqliteMagic.size()> start{};
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), start.size());
    if (in.gcount() == 0 && in.eof() && mayBeMissing == MayBeMissing::Yes)
        return;
    if (std::string_view(start.data(), static_cast<std::size_t>(in.gcount())) != sqliteMagic)
        throw UserError(fmt::format(
            "'{}' is not a results database of a sweep: it is no SQLite file", file.string()));
}

void checkIsSweep(const Database& db, const fs::path& file) {
    const std::int64_t id = db.integer("PRAGMA application_id");
    if (id != sweepApplicationId)
        throw UserError(fmt::format("'{}' is not a results database of a sweep: it is a SQLite "
                                    "file of another application (application_id {:#x})",
                                    file.string(), id));
    const std::int64_t version = db.integer("PRAGMA user_version");
    if (version > sweepSchemaVersion)
        throw UserError(fmt::format("'{}' has schema version {}, this TileScope reads up to {}: "
                                    "use a newer TileScope, or another directory",
                                    file.string(), version, sweepSchemaVersion));
    // A truncated copy still has a good first page: compare with the size it states.
    const std::int64_t expected = db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size");
    std::error_code error;
    const auto actual = static_cast<std::int64_t>(fs::file_size(file, error));
    if (!error && actual < expected)
        failDamaged(file, fmt::format("{} of {} bytes are there", actual, expected));
}

SweepIdentity readIdentity(const Database& db) {
    SweepIdentity identity;
    Statement info = db.prepare("SELECT key, value FROM info");
    while (info.step()) {
        const std::string key = info.text(0);
        if (key == "model")
            identity.model = info.text(1);
        else if (key == "model_digest")
            identity.modelDigest = info.text(1);
        else if (key == "creator")
            identity.creator = info.text(1);
    }
    Statement options = db.prepare("SELECT key, value FROM options");
    while (options.step())
        identity.options[options.text(0)] = options.text(1);
    return identity;
}

SweepGrid readGrid(const Database& db, const fs::path& file) {
    std::vector<SweepAxis> axes;
    Statement rows = db.prepare("SELECT axis, key, value FROM axes ORDER BY axis, position");
    while (rows.step()) {
        const std::int64_t number = rows.integer(0);
        if (number == static_cast<std::int64_t>(axes.size()))
            axes.push_back({rows.text(1), {}});
        else if (axes.empty() || number + 1 != static_cast<std::int64_t>(axes.size()))
            failDamaged(file, fmt::format("it has an impossible axis {}", number));
        axes.back().values.push_back(rows.text(2));
    }
    try {
        return SweepGrid(std::move(axes));
    } catch (const UserError&) {
        failDamaged(file, "its axes do not form a grid");
    }
}

std::string differenceOf(const SweepIdentity& there, const SweepIdentity& wanted,
                         const SweepGrid& gridThere, const SweepGrid& gridWanted) {
    if (there.creator != wanted.creator)
        return fmt::format("{} simulated it, this is {}", there.creator, wanted.creator);
    // A file may be named in many ways; a built-in model in only one.
    if (there.modelDigest != wanted.modelDigest ||
        (wanted.modelDigest.empty() && there.model != wanted.model))
        return there.model == wanted.model
                   ? fmt::format("the model '{}' has changed since", wanted.model)
                   : fmt::format("its model is '{}', not '{}'", there.model, wanted.model);
    const std::string options = optionDifference(there.options, wanted.options);
    return options.empty() ? gridDifference(gridThere, gridWanted) : options;
}

SweepResults readSweep(const fs::path& file) {
    checkIsSqlite(file, MayBeMissing::No);
    recover(file);
    const Database db(sweepOrigin(file), Database::Mode::ReadOnly);
    db.execute("PRAGMA busy_timeout = 60000");
    checkIsSweep(db, file);
    SweepResults results{readIdentity(db), readGrid(db, file), {}};
    results.points.resize(results.grid.size());
    Statement rows = db.prepare("SELECT * FROM points");
    while (rows.step()) {
        const std::int64_t point = rows.integer(0);
        const auto status = fromName<PointStatus>(rows.text(1));
        if (point < 0 || static_cast<std::size_t>(point) >= results.points.size() || !status)
            failDamaged(file, "it has an impossible point");
        results.points[static_cast<std::size_t>(point)] = pointAt(rows, *status);
    }
    return results;
}

std::string_view sweepSchemaSql() {
    return R"sql(-- Results of a TileScope sweep, schema version 1 (PRAGMA user_version), application_id 0x54537377.
--
-- Sizes are bytes, cycles are clock cycles of the tile, times are seconds.
-- A point is here once it is done, in one transaction; the others are still to be simulated.
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
}

} // namespace tilescope
