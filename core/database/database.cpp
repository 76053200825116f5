#include "core/database/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/rewritten_file.h"
#include "core/base/units.h"
#include "core/database/page_checksum.h"

namespace tilescope {
namespace {

// SQLite calls back after this many of its virtual instructions: often enough to stop within
// milliseconds, rarely enough to cost nothing.
constexpr int instructionsBetweenStopChecks = 10'000;

[[noreturn]] void fail(sqlite3* db, int code, const DatabaseOrigin& origin) {
    const std::string& file = origin.file;
    const bool isDamage = (code & 0xFF) == SQLITE_NOTADB || (code & 0xFF) == SQLITE_CORRUPT ||
                          (code & 0xFF) == SQLITE_IOERR;
    if (isDamage && origin.asOpened && stampOf(origin.path) != *origin.asOpened)
        throw RewrittenFile(file);
    switch (code & 0xFF) {
    case SQLITE_INTERRUPT:
        throw Cancelled();
    case SQLITE_NOTADB:
        throw UserError(fmt::format("'{}' is not a {}: it is no SQLite file", file, origin.noun));
    case SQLITE_CORRUPT:
        throw UserError(fmt::format("'{}' is damaged or truncated: {}. {}", file,
                                    sqlite3_errmsg(db), origin.remedy));
    case SQLITE_FULL:
        throw UserError(fmt::format("cannot write '{}': no space left on the disk", file));
    case SQLITE_IOERR:
        if (metWrongChecksum(db))
            throw UserError(fmt::format(
                "'{}' is damaged: a part of it is not as it was written. {}", file, origin.remedy));
        throw UserError(fmt::format("cannot read or write '{}': {} (is the disk full?)", file,
                                    sqlite3_errmsg(db)));
    case SQLITE_AUTH:
        throw SqlError(fmt::format("'{}': a query can only read", file), "a query can only read",
                       std::nullopt);
    case SQLITE_CANTOPEN:
        throw UserError(fmt::format("cannot open '{}': {}", file, sqlite3_errmsg(db)));
    case SQLITE_NOMEM:
        throw SqlError(fmt::format("'{}': not enough memory", file), "not enough memory",
                       std::nullopt);
    case SQLITE_TOOBIG: {
        const std::string text =
            fmt::format("a value, or the query, is longer than {}",
                        formatBytes(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1)));
        throw SqlError(fmt::format("'{}': {}", file, text), text, std::nullopt);
    }
    default:
        break;
    }
    const std::string reason = sqlite3_errmsg(db);
    const int offset = sqlite3_error_offset(db);
    throw SqlError(fmt::format("'{}': {}", file, reason), reason,
                   offset < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(offset)));
}

} // namespace

Statement::Statement(sqlite3* db, std::string_view sql, DatabaseOrigin origin)
    : db_(db)
    , origin_(std::move(origin)) {
    const char* rest = nullptr;
    check(sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement_, &rest));
    length_ = static_cast<std::size_t>(rest - sql.data());
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_)
    , statement_(std::exchange(other.statement_, nullptr))
    , length_(other.length_)
    , origin_(std::move(other.origin_)) {}

void Statement::check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        fail(db_, code, origin_);
}

Statement& Statement::bind(int at, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, at + 1, value));
    return *this;
}

Statement& Statement::bind(int at, double value) {
    check(sqlite3_bind_double(statement_, at + 1, value));
    return *this;
}

Statement& Statement::bind(int at, std::string_view value) {
    check(sqlite3_bind_text64(statement_, at + 1, value.data(), value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int at, std::span<const std::byte> value) {
    check(sqlite3_bind_blob64(statement_, at + 1,
                              value.empty() ? "" : static_cast<const void*>(value.data()),
                              value.size(), SQLITE_TRANSIENT));
    return *this;
}

Statement& Statement::bindNull(int at) {
    check(sqlite3_bind_null(statement_, at + 1));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_);
    check(code);
    return code == SQLITE_ROW;
}

void Statement::run() {
    while (step()) {
    }
    reset();
}

void Statement::reset() {
    sqlite3_reset(statement_);
}

int Statement::columns() const {
    return sqlite3_column_count(statement_);
}

std::string Statement::columnName(int at) const {
    return sqlite3_column_name(statement_, at);
}

bool Statement::isNull(int at) const {
    return sqlite3_column_type(statement_, at) == SQLITE_NULL;
}

bool Statement::isNumber(int at) const {
    return type(at) == SQLITE_INTEGER || type(at) == SQLITE_FLOAT;
}

int Statement::type(int at) const {
    return sqlite3_column_type(statement_, at);
}

std::int64_t Statement::integer(int at) const {
    return sqlite3_column_int64(statement_, at);
}

double Statement::real(int at) const {
    return sqlite3_column_double(statement_, at);
}

std::string Statement::text(int at) const {
    // As it is stored: to end a text with a zero, sqlite3_column_text copies it first.
    sqlite3_value* value = sqlite3_column_value(statement_, at);
    if (sqlite3_value_type(value) == SQLITE_TEXT && sqlite3_value_encoding(value) == SQLITE_UTF8) {
        const auto* stored = static_cast<const char*>(sqlite3_value_blob(value));
        return stored == nullptr
                   ? std::string()
                   : std::string(stored, static_cast<std::size_t>(sqlite3_value_bytes(value)));
    }
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, at));
    return text == nullptr
               ? std::string()
               : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, at)));
}

std::span<const std::byte> Statement::blob(int at) const {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, at));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, at))};
}

Database::Database(const std::filesystem::path& file, Mode mode)
    : Database(file, mode, file) {}

Database::Database(const std::filesystem::path& file, Mode mode, const std::filesystem::path& name)
    : Database(file.string(), DatabaseOrigin{.file = name.string()}, mode, checksumVfs()) {
    if (mode == Mode::Create && !addChecksums(db_))
        throw UserError(
            fmt::format("cannot write '{}': SQLite has no room for check sums", origin_.file));
}

Database::Database(DatabaseOrigin origin, Mode mode)
    : Database(origin.file, origin, mode, nullptr) {}

Database::Database(const std::string& file, DatabaseOrigin origin, Mode mode, const char* vfs)
    : origin_(std::move(origin)) {
    if (mode == Mode::ReadOnly) {
        origin_.path = file;
        origin_.asOpened = stampOf(origin_.path);
    }
    const int flags =
        mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int code = sqlite3_open_v2(file.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX, vfs);
    if (code != SQLITE_OK) {
        const std::string text = db_ ? sqlite3_errmsg(db_) : sqlite3_errstr(code);
        sqlite3_close(db_);
        throw UserError(fmt::format("cannot open '{}': {}", origin_.file, text));
    }
}

Database::~Database() {
    sqlite3_close_v2(db_);
}

Database::Database(Database&& other) noexcept
    : db_(std::exchange(other.db_, nullptr))
    , origin_(std::move(other.origin_))
    , stop_(std::move(other.stop_)) {}

Statement Database::prepare(std::string_view sql) const {
    return {db_, sql, origin_};
}

void Database::execute(std::string_view sql) const {
    const int code = sqlite3_exec(db_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        fail(db_, code, origin_);
}

std::int64_t Database::integer(std::string_view sql) const {
    Statement statement = prepare(sql);
    return statement.step() ? statement.integer(0) : 0;
}

void Database::stopWith(std::stop_token token) {
    stop_ = std::make_unique<std::stop_token>(std::move(token));
    sqlite3_progress_handler(
        db_, instructionsBetweenStopChecks,
        [](void* stop) { return static_cast<std::stop_token*>(stop)->stop_requested() ? 1 : 0; },
        stop_.get());
}

void Database::close() {
    const int code = sqlite3_close(db_);
    if (code != SQLITE_OK)
        fail(db_, code, origin_);
    db_ = nullptr;
}

} // namespace tilescope
