#include "core/sweep/sweep_store.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/database/insert.h"
#include "core/sweep/sweep_file.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

fs::path madeDirectory(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        throw UserError(
            fmt::format("cannot create directory '{}': {}", directory.string(), error.message()));
    return directory;
}

/// A transaction that is rolled back unless it is committed.
class Transaction {
public:
    explicit Transaction(const Database& db)
        : db_(db) {
        db_.execute("BEGIN IMMEDIATE");
    }
    ~Transaction() {
        if (open_)
            rollBack();
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit() {
        db_.execute("COMMIT");
        open_ = false;
    }

private:
    void rollBack() const {
        try {
            db_.execute("ROLLBACK");
        } catch (const UserError&) {
            // SQLite may have rolled back already, which may be why we are here.
            return;
        }
    }
    const Database& db_;
    bool open_ = true;
};

std::string quotedName(const std::string& key) {
    return '"' + key + '"';
}

/// `results`: a row for each point, a column for each axis.
std::string resultsViewSql(const SweepGrid& grid) {
    std::string columns;
    std::string joins;
    for (std::size_t i = 0; i < grid.axes().size(); ++i) {
        const std::string& key = grid.axes()[i].key;
        columns += fmt::format("c{}.value AS {}, ", i, quotedName(key));
        joins += fmt::format(" LEFT JOIN coordinates c{0} ON c{0}.point = points.id AND "
                             "c{0}.key = '{1}'",
                             i, key);
    }
    return "CREATE VIEW results AS SELECT " + columns + "points.* FROM points" + joins +
           " ORDER BY points.id";
}

void dropEverything(const Database& db) {
    db.execute("DROP VIEW IF EXISTS results");
    for (const char* table : {"info", "options", "axes", "points", "coordinates"})
        db.execute(fmt::format("DROP TABLE IF EXISTS {}", table));
}

std::optional<std::string> textOrNull(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

void writePoint(const Database& db, std::size_t point, const PointResult& result) {
    const auto bytes = [&](std::int64_t PointMemory::*figure) {
        return result.memory ? std::optional((*result.memory).*figure) : std::nullopt;
    };
    const auto time = [&](auto PointTime::*figure) {
        return result.time ? std::optional((*result.time).*figure) : std::nullopt;
    };
    Insert(db, "points", "INSERT OR REPLACE")(
        point, toString(result.status), result.exitCode, textOrNull(result.message),
        bytes(&PointMemory::maxTileIncludingGaps), bytes(&PointMemory::maxTileExcludingGaps),
        bytes(&PointMemory::totalIncludingGaps), bytes(&PointMemory::totalExcludingGaps),
        bytes(&PointMemory::alwaysLive), bytes(&PointMemory::maxNotAlwaysLive),
        bytes(&PointMemory::tilesOverLimit), time(&PointTime::cycles), time(&PointTime::seconds),
        time(&PointTime::throughput), result.warnings, textOrNull(result.profile),
        result.hostSeconds);
}

} // namespace

SweepStore::DirectoryLock::DirectoryLock(const fs::path& directory)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0)
        throw UserError(fmt::format("cannot open directory '{}': {}", directory.string(),
                                    std::strerror(errno)));
    // File systems without locks are used without: only "somebody else has it" counts.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor_);
        throw UserError(fmt::format("another sweep is writing to directory '{}': wait for its end, "
                                    "or use another directory",
                                    directory.string()));
    }
}

SweepStore::DirectoryLock::~DirectoryLock() {
    ::close(descriptor_);
}

SweepStore::SweepStore(const fs::path& directory, const SweepIdentity& identity,
                       const SweepGrid& grid, IfOther ifOther)
    : file_(directory / "sweep.db")
    , grid_(grid)
    , lock_(madeDirectory(directory))
    , db_((checkIsSqlite(file_, MayBeMissing::Yes), sweepOrigin(file_)), Database::Mode::Create) {
    // Somebody reading at the moment of a commit must not end the sweep.
    db_.execute("PRAGMA busy_timeout = 60000");
    if (db_.integer("SELECT count(*) FROM sqlite_master") == 0 &&
        db_.integer("PRAGMA application_id") == 0) {
        create(identity);
        return;
    }
    checkIsSweep(db_, file_);
    const std::string difference =
        differenceOf(readIdentity(db_), identity, readGrid(db_, file_), grid);
    if (difference.empty())
        return;
    if (ifOther == IfOther::Refuse)
        throw UserError(fmt::format("'{}' holds another sweep: {}. Use another directory, or "
                                    "--force to replace its results.",
                                    file_.string(), difference));
    create(identity);
}

void SweepStore::create(const SweepIdentity& identity) {
    Transaction transaction(db_);
    dropEverything(db_);
    db_.execute(fmt::format("PRAGMA application_id = {}", sweepApplicationId));
    db_.execute(fmt::format("PRAGMA user_version = {}", sweepSchemaVersion));
    db_.execute(sweepSchemaSql());
    db_.execute(resultsViewSql(grid_));
    Insert info(db_, "info");
    info("model", identity.model);
    info("model_digest", identity.modelDigest);
    info("creator", identity.creator);
    Insert option(db_, "options");
    for (const auto& [key, value] : identity.options)
        option(key, value);
    Insert axisValue(db_, "axes");
    for (std::size_t i = 0; i < grid_.axes().size(); ++i)
        for (std::size_t at = 0; at < grid_.axes()[i].values.size(); ++at)
            axisValue(i, grid_.axes()[i].key, at, grid_.axes()[i].values[at]);
    transaction.commit();
}

void SweepStore::record(std::size_t point, const PointResult& result) {
    Transaction transaction(db_);
    writePoint(db_, point, result);
    Insert coordinate(db_, "coordinates", "INSERT OR REPLACE");
    const std::vector<std::string> values = grid_.valuesAt(point);
    for (std::size_t i = 0; i < values.size(); ++i)
        coordinate(point, grid_.axes()[i].key, values[i]);
    transaction.commit();
}

fs::path sweepFileOf(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error) ? path / "sweep.db" : path;
}

bool isSweep(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error) && fs::exists(path / "profile.pop", error))
        return false;
    // The SQLite header has the application's number at this place, high byte first.
    constexpr std::size_t place = 68;
    std::array<char, place + 4> header{};
    std::ifstream file(sweepFileOf(path), std::ios::binary);
    if (!file.read(header.data(), header.size()))
        return false;
    std::uint32_t number = 0;
    for (std::size_t i = place; i < header.size(); ++i)
        number = number << 8 | static_cast<unsigned char>(header[i]);
    return std::string_view(header.data(), 15) == "SQLite format 3" &&
           number == static_cast<std::uint32_t>(sweepApplicationId);
}

} // namespace tilescope
