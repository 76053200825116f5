#include "core/database/sql_query.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <string_view>

#include "core/base/units.h"
#include "core/database/database.h"

namespace tilescope {
namespace {

/// A value that is longer is an error: nothing in a profile is, nor can anybody read it.
constexpr int mostValueBytes = 64 << 20;
/// What SQLite may take for a query in memory, such as for sorting.
constexpr sqlite3_int64 mostQueryHeap = sqlite3_int64{1} << 30;

SqlValue valueAt(const Statement& row, int column) {
    switch (row.type(column)) {
    case SQLITE_INTEGER:
        return row.integer(column);
    case SQLITE_FLOAT:
        return row.real(column);
    case SQLITE_TEXT:
        return row.text(column);
    case SQLITE_BLOB:
        return BlobSize{row.blob(column).size()};
    default:
        return {};
    }
}

// What would be left out without a word is refused.
void expectNothingAfter(const Database& db, const std::string& sql, std::size_t end) {
    const std::size_t next = sql.find_first_not_of(" \t\r\n;", end);
    if (next == std::string::npos)
        return;
    bool more = true;
    try {
        more = db.prepare(std::string_view(sql).substr(next)).valid();
    } catch (const SqlError&) {
        // Not even a statement, but certainly no comment.
    }
    static const char* const text = "one statement can be run at a time";
    if (more)
        throw SqlError(text, text, next);
}

/// What a query may do: select, with functions, and ask pragmas that take no value.
int allowReading(void*, int action, const char* first, const char* second, const char*,
                 const char*) {
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_UPDATE:
        // SQLite asks so when a table-valued function declares its columns; it lets no statement
        // change its schema table.
        return std::string_view(first) == "sqlite_master" ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        // What describes a table is asked with its name.
        return second == nullptr || std::string_view(first).ends_with("_info") ||
                       std::string_view(first).ends_with("_list")
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/// While it lives, statements of the connection can only read, and make no value that is huge. A
/// connection that cannot write its own file could still attach another, or copy itself with VACUUM
/// INTO.
class OnlyReading {
public:
    explicit OnlyReading(const Database& db)
        : db_(db.handle())
        , length_(sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, mostValueBytes)) {
        sqlite3_set_authorizer(db_, allowReading, nullptr);
        // Of the whole process, whose other uses of SQLite need little: sorting and grouping.
        sqlite3_hard_heap_limit64(mostQueryHeap);
    }
    ~OnlyReading() {
        sqlite3_set_authorizer(db_, nullptr, nullptr);
        sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, length_);
    }
    OnlyReading(const OnlyReading&) = delete;
    OnlyReading& operator=(const OnlyReading&) = delete;

private:
    sqlite3* db_;
    int length_;
};

std::size_t bytesOf(const std::vector<SqlValue>& row) {
    std::size_t bytes = sizeof row + row.size() * sizeof(SqlValue);
    for (const SqlValue& value : row)
        if (const auto* text = std::get_if<std::string>(&value))
            bytes += text->size();
    return bytes;
}

} // namespace

SqlResult runQuery(const Database& db, const std::string& sql, std::size_t maxRows,
                   std::size_t maxBytes) {
    SqlResult result;
    const OnlyReading onlyReading(db);
    Statement row = db.prepare(sql);
    if (!row.valid())
        throw SqlError("there is no statement to run", "there is no statement to run", {});
    expectNothingAfter(db, sql, row.length());
    for (int i = 0; i < row.columns(); ++i)
        result.columns.push_back(row.columnName(i));
    std::size_t bytes = 0;
    while (row.step()) {
        if (result.rows.size() == maxRows) {
            result.truncated = true;
            break;
        }
        std::vector<SqlValue>& values = result.rows.emplace_back();
        for (int i = 0; i < row.columns(); ++i)
            values.push_back(valueAt(row, i));
        bytes += bytesOf(values);
        if (bytes > maxBytes) {
            const std::string text =
                fmt::format("the result takes more than {}: add LIMIT, or select less",
                            formatBytes(static_cast<std::int64_t>(maxBytes)));
            throw SqlError(text, text, {});
        }
    }
    return result;
}

std::string plainText(const SqlValue& value) {
    struct Convert {
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return fmt::format("{}", v); }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(BlobSize v) const {
            return fmt::format("<blob of {} bytes>", v.bytes);
        }
    };
    return std::visit(Convert(), value);
}

} // namespace tilescope
