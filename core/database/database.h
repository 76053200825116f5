// A thin RAII layer over SQLite: connections and prepared statements that throw UserError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file_stamp.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tilescope {

/// What errors call a file. The views are of text in the program.
struct DatabaseOrigin {
    std::string file;
    std::string_view noun = "profile";
    std::string_view remedy = "Write the profile again."; ///< for a damaged one
    /// When a file that is only read was opened, and where it is. Set by Database.
    std::optional<FileStamp> asOpened = {};
    std::filesystem::path path = {};
};

/// SQL that cannot be run, and where.
class SqlError : public UserError {
public:
    /// `what` names the file too; `reason` is SQLite's text alone.
    SqlError(const std::string& what, std::string reason, std::optional<std::size_t> offset)
        : UserError(what)
        , reason_(std::move(reason))
        , offset_(offset) {}
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// Bytes of the SQL before the place; none if SQLite knows no place.
    [[nodiscard]] std::optional<std::size_t> offset() const { return offset_; }

private:
    std::string reason_;
    std::optional<std::size_t> offset_;
};

/// A prepared statement. Parameters and columns count from 0.
class Statement {
public:
    Statement(sqlite3* db, std::string_view sql, DatabaseOrigin origin);
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;

    Statement& bind(int at, std::int64_t value);
    Statement& bind(int at, double value);
    Statement& bind(int at, std::string_view value);
    Statement& bind(int at, std::span<const std::byte> value);
    Statement& bindNull(int at);

    /// Advances to the next row; false at the end. Throws UserError, or Cancelled after a stop.
    bool step();
    /// Runs a statement without rows and makes it ready for the next parameters.
    void run();
    /// Makes the statement ready for new parameters.
    void reset();

    /// False if the text held no statement, only blanks and comments.
    [[nodiscard]] bool valid() const { return statement_ != nullptr; }
    /// Bytes of the text that belong to this statement; what follows is not run.
    [[nodiscard]] std::size_t length() const { return length_; }
    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string columnName(int at) const;
    [[nodiscard]] bool isNull(int at) const;
    [[nodiscard]] bool isNumber(int at) const; ///< an integer or a real number
    [[nodiscard]] int type(int at) const;      ///< SQLITE_INTEGER and so on
    [[nodiscard]] std::int64_t integer(int at) const;
    [[nodiscard]] double real(int at) const;
    [[nodiscard]] std::string text(int at) const;
    [[nodiscard]] std::span<const std::byte> blob(int at) const; ///< valid until the next step

private:
    void check(int code) const;
    sqlite3* db_;
    sqlite3_stmt* statement_ = nullptr;
    std::size_t length_ = 0;
    DatabaseOrigin origin_;
};

/// A connection. Not for use by two threads at a time: a worker opens its own.
class Database {
public:
    enum class Mode { ReadOnly, Create };
    /// A profile: its pages have checksums (page_checksum.h).
    Database(const std::filesystem::path& file, Mode mode);
    /// A profile that errors are to call otherwise: one that has not got its name yet.
    Database(const std::filesystem::path& file, Mode mode, const std::filesystem::path& name);
    /// Another kind of file, as errors are to call it.
    Database(DatabaseOrigin origin, Mode mode);
    ~Database();
    Database(Database&& other) noexcept;
    Database& operator=(Database&&) = delete;

    [[nodiscard]] Statement prepare(std::string_view sql) const;
    void execute(std::string_view sql) const;
    [[nodiscard]] std::int64_t integer(std::string_view sql) const;
    /// Queries after a stop request end with Cancelled.
    void stopWith(std::stop_token token);
    [[nodiscard]] sqlite3* handle() const { return db_; }
    /// Closes now; throws UserError if SQLite cannot.
    void close();

private:
    Database(const std::string& file, DatabaseOrigin origin, Mode mode, const char* vfs);

    sqlite3* db_ = nullptr;
    DatabaseOrigin origin_;
    std::unique_ptr<std::stop_token> stop_;
};

} // namespace tilescope
