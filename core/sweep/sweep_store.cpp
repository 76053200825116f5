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
#include "core/sweep/schema.h"
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
            // SQLite may have rolled back by itself, which is why we are here.
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

void bindText(Statement& row, int at, const std::string& text) {
    if (text.empty())
        row.bindNull(at);
    else
        row.bind(at, text);
}

void bindPoint(Statement& row, std::size_t point, const PointResult& result) {
    row.bind(0, static_cast<std::int64_t>(point));
    row.bind(1, toString(result.status));
    row.bind(2, std::int64_t{result.exitCode});
    bindText(row, 3, result.message);
    if (const auto& memory = result.memory) {
        int at = 4;
        for (const std::int64_t bytes :
             {memory->maxTileIncludingGaps, memory->maxTileExcludingGaps,
              memory->totalIncludingGaps, memory->totalExcludingGaps, memory->alwaysLive,
              memory->maxNotAlwaysLive, memory->tilesOverLimit})
            row.bind(at++, bytes);
    }
    if (result.time) {
        row.bind(11, result.time->cycles);
        row.bind(12, result.time->seconds);
        row.bind(13, result.time->throughput);
    }
    row.bind(14, result.warnings);
    bindText(row, 15, result.profile);
    row.bind(16, result.hostSeconds);
}

} // namespace

SweepStore::DirectoryLock::DirectoryLock(const fs::path& directory)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0)
        throw UserError(fmt::format("cannot open directory '{}': {}", directory.string(),
                                    std::strerror(errno)));
    // File systems without locks do without: only "somebody else has it" is an answer.
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
    // Somebody who reads at the moment of a commit must not end the sweep.
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
    Statement info = db_.prepare("INSERT INTO info VALUES(?, ?)");
    info.bind(0, "model").bind(1, identity.model).run();
    info.bind(0, "model_digest").bind(1, identity.modelDigest).run();
    info.bind(0, "creator").bind(1, identity.creator).run();
    Statement options = db_.prepare("INSERT INTO options VALUES(?, ?)");
    for (const auto& [key, value] : identity.options)
        options.bind(0, key).bind(1, value).run();
    Statement axes = db_.prepare("INSERT INTO axes VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < grid_.axes().size(); ++i) {
        const SweepAxis& axis = grid_.axes()[i];
        for (std::size_t at = 0; at < axis.values.size(); ++at) {
            axes.bind(0, static_cast<std::int64_t>(i)).bind(1, axis.key);
            axes.bind(2, static_cast<std::int64_t>(at)).bind(3, axis.values[at]).run();
        }
    }
    transaction.commit();
}

void SweepStore::record(std::size_t point, const PointResult& result) {
    Transaction transaction(db_);
    Statement row =
        db_.prepare("INSERT OR REPLACE INTO points VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "?, ?, ?, ?, ?, ?, ?)");
    bindPoint(row, point, result);
    row.run();
    Statement coordinate = db_.prepare("INSERT OR REPLACE INTO coordinates VALUES(?, ?, ?)");
    const std::vector<std::string> values = grid_.valuesAt(point);
    for (std::size_t i = 0; i < values.size(); ++i) {
        coordinate.bind(0, static_cast<std::int64_t>(point)).bind(1, grid_.axes()[i].key);
        coordinate.bind(2, values[i]).run();
    }
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
