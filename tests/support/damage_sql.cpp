#include "tests/support/damage_sql.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <vector>

#include "tests/support/profile_sql.h"

namespace tilescope::test {
namespace {

/// A profile in memory.
class Content {
public:
    explicit Content(const std::string& file) {
        sqlite3_open(":memory:", &db_);
        // Other programs change a schema without regard for the views that need it.
        run("PRAGMA legacy_alter_table = ON");
        run("PRAGMA foreign_keys = OFF");
        auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(file.size()));
        std::memcpy(copy, file.data(), file.size());
        const auto size = static_cast<sqlite3_int64>(file.size());
        readable_ = sqlite3_deserialize(db_, "main", copy, size, size,
                                        SQLITE_DESERIALIZE_FREEONCLOSE |
                                            SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK;
    }
    ~Content() { sqlite3_close(db_); }
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    bool run(const std::string& sql) const {
        return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }

    /// One column of text.
    [[nodiscard]] std::vector<std::string> column(const std::string& sql) const {
        std::vector<std::string> rows;
        sqlite3_stmt* statement = nullptr;
        if (!readable_ ||
            sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            return rows;
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const auto* text = sqlite3_column_text(statement, 0);
            rows.emplace_back(text ? reinterpret_cast<const char*>(text) : "");
        }
        sqlite3_finalize(statement);
        return rows;
    }

    [[nodiscard]] std::string bytes() const {
        sqlite3_int64 size = 0;
        unsigned char* data = sqlite3_serialize(db_, "main", &size, 0);
        std::string result(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
        sqlite3_free(data);
        return result;
    }

private:
    sqlite3* db_ = nullptr;
    bool readable_ = false;
};

template <class Items> const auto& any(const Items& items, const Draw& draw) {
    return items[static_cast<std::size_t>(draw(std::size(items)))];
}

/// A row of a table, or all of them, as a WHERE clause.
std::string someRows(const Content& db, const std::string& table, const Draw& draw) {
    if (draw(3) == 0)
        return "";
    const auto count = db.column(fmt::format("SELECT count(*) FROM \"{}\"", table));
    const std::uint64_t rows = count.empty() ? 0 : std::strtoull(count[0].c_str(), nullptr, 10);
    const auto key = db.column(
        fmt::format("SELECT group_concat(name) FROM pragma_table_info('{}') WHERE pk > 0", table));
    const std::string columns = key.empty() || key[0].empty() ? "rowid" : key[0];
    return fmt::format(" WHERE ({0}) IN (SELECT {0} FROM \"{1}\" LIMIT 1 OFFSET {2})", columns,
                       table, draw(std::max<std::uint64_t>(1, rows)));
}

/// Numbers at which arithmetic breaks, and what is no number.
std::string oddNumber(const Draw& draw) {
    static constexpr std::array values{"0",
                                       "-1",
                                       "1",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "2147483647",
                                       "2147483648",
                                       "4294967297",
                                       "4398046511104",
                                       "1000000000",
                                       "1e300",
                                       "-1e300",
                                       "9e999",
                                       "-9e999",
                                       "0.5",
                                       "NULL",
                                       "'ten'",
                                       "x'00ff'"};
    return draw(4) == 0 ? std::to_string(draw(1'000'000)) : std::string(any(values, draw));
}

std::string oddText(const Draw& draw) {
    static constexpr std::array values{"CAST(x'ff00c3' AS TEXT)",
                                       "CAST(x'c080edb080f8' AS TEXT)",
                                       "''",
                                       "NULL",
                                       "'a' || char(0) || char(10) || char(27) || 'b'",
                                       "7",
                                       "1e999",
                                       "x'deadbeef'",
                                       "'////'",
                                       "'{\"plan\": [1, {'",
                                       "replace(hex(zeroblob(500000)), '00', '/x')",
                                       "'Sequence'",
                                       "'%s%n<b>&amp;'"};
    return any(values, draw);
}

/// A blob that is no encoded series, or another than it was.
std::string oddBlob(const std::string& column, const Draw& draw) {
    const std::uint64_t place = draw(24);
    switch (draw(7)) {
    case 0:
        return fmt::format("substr(\"{}\", 1, {})", column, place);
    case 1:
        return fmt::format("CAST(\"{}\" || x'{:02x}{:02x}' AS BLOB)", column, draw(256), draw(256));
    case 2:
        return fmt::format("CAST(substr(\"{0}\", 1, {1}) || x'{2:02x}' || substr(\"{0}\", {3}) "
                           "AS BLOB)",
                           column, place, draw(256), place + 2);
    case 3:
        return fmt::format("zeroblob({})", place);
    case 4:
        return "NULL";
    case 5:
        return "x'01ffffffff0f01feffffffffffffffff01'";
    default: {
        std::string bytes;
        for (std::uint64_t i = 0; i < place; ++i)
            bytes += fmt::format("{:02x}", draw(256));
        return fmt::format("x'{}'", bytes);
    }
    }
}

std::vector<std::string> tablesOf(const Content& db) {
    return db.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
                     "'sqlite%' ORDER BY name");
}

std::vector<std::string> columnsOf(const Content& db, const std::string& table,
                                   const std::string& which) {
    return db.column(
        fmt::format("SELECT name FROM pragma_table_info('{}') WHERE {}", table, which));
}

/// Something to run; its text says what it does.
using Statement = std::optional<std::string>;

Statement changeTable(const Content& db, const std::string& table, const Draw& draw) {
    switch (draw(6)) {
    case 0:
        return fmt::format("DROP TABLE \"{}\"", table);
    case 1:
        return fmt::format("ALTER TABLE \"{0}\" RENAME TO \"{0}2\"", table);
    case 2:
        return fmt::format("DELETE FROM \"{}\"", table);
    case 3:
        return fmt::format("INSERT OR REPLACE INTO \"{0}\" SELECT * FROM \"{0}\"", table);
    default:
        break;
    }
    const auto columns = columnsOf(db, table, "pk = 0");
    if (columns.empty())
        return {};
    return draw(2) == 0
               ? fmt::format("ALTER TABLE \"{}\" DROP COLUMN \"{}\"", table, any(columns, draw))
               : fmt::format("ALTER TABLE \"{0}\" RENAME COLUMN \"{1}\" TO \"{1}2\"", table,
                             any(columns, draw));
}

Statement changeRows(const Content& db, const std::string& table, const Draw& draw) {
    switch (draw(3)) {
    case 0:
        return fmt::format("DELETE FROM \"{}\"{}", table, someRows(db, table, draw));
    case 1: {
        const auto key = columnsOf(db, table, "pk > 0");
        return fmt::format("UPDATE OR REPLACE \"{0}\" SET \"{1}\" = {2}{3}", table,
                           key.empty() ? "rowid" : any(key, draw), oddNumber(draw),
                           someRows(db, table, draw));
    }
    default:
        return fmt::format("DELETE FROM \"{0}\" WHERE rowid % {1} = 0", table, 2 + draw(5));
    }
}

Statement changeNumber(const Content& db, const std::string& table, const Draw& draw) {
    const auto columns = columnsOf(db, table, "type IN ('INTEGER', 'REAL', '')");
    if (columns.empty())
        return {};
    const std::string& column = any(columns, draw);
    std::string value = oddNumber(draw);
    switch (draw(5)) {
    case 0: // references in circles and to others than before
        value = fmt::format("(SELECT \"{0}\" FROM \"{1}\" ORDER BY 1 LIMIT 1 OFFSET {2})", column,
                            table, draw(64));
        break;
    case 1:
        value = fmt::format("\"{}\" + {}", column, draw(2) == 0 ? 1 : 1000);
        break;
    case 2:
        value = fmt::format("{}", draw(12));
        break;
    default:
        break;
    }
    return fmt::format("UPDATE OR REPLACE \"{}\" SET \"{}\" = {}{}", table, column, value,
                       someRows(db, table, draw));
}

Statement changeText(const Content& db, const std::string& table, const Draw& draw) {
    const auto columns = columnsOf(db, table, "type = 'TEXT'");
    if (columns.empty())
        return {};
    return fmt::format("UPDATE OR REPLACE \"{}\" SET \"{}\" = {}{}", table, any(columns, draw),
                       oddText(draw), someRows(db, table, draw));
}

Statement changeBlob(const Content& db, const std::string& table, const Draw& draw) {
    const auto columns = columnsOf(db, table, "type = 'BLOB'");
    if (columns.empty())
        return {};
    const std::string& column = any(columns, draw);
    return fmt::format("UPDATE \"{}\" SET \"{}\" = {}{}", table, column, oddBlob(column, draw),
                       someRows(db, table, draw));
}

std::string changeHead(const Content& db, const Draw& draw) {
    switch (draw(4)) {
    case 0:
        return fmt::format("PRAGMA user_version = {}", oddNumber(draw));
    case 1:
        return fmt::format("PRAGMA application_id = {}", oddNumber(draw));
    case 2: {
        const auto keys = db.column("SELECT key FROM info ORDER BY key");
        return keys.empty() ? "DROP TABLE info"
                            : fmt::format("DELETE FROM info WHERE key = '{}'", any(keys, draw));
    }
    default: {
        const auto keys = db.column("SELECT key FROM info ORDER BY key");
        return keys.empty() ? "DROP TABLE info"
                            : fmt::format("UPDATE info SET value = {} WHERE key = '{}'",
                                          oddNumber(draw), any(keys, draw));
    }
    }
}

Statement anyChange(const Content& db, const Draw& draw) {
    const auto tables = tablesOf(db);
    if (tables.empty())
        return {};
    const std::uint64_t kind = draw(10);
    if (kind == 0)
        return changeHead(db, draw);
    // Not every table has a column of every kind: another is tried, some times.
    constexpr int tries = 8;
    for (int i = 0; i < tries; ++i) {
        const std::string& table = any(tables, draw);
        const Statement change = kind == 1   ? changeTable(db, table, draw)
                                 : kind == 2 ? changeRows(db, table, draw)
                                 : kind <= 5 ? changeNumber(db, table, draw)
                                 : kind <= 7 ? changeText(db, table, draw)
                                             : changeBlob(db, table, draw);
        if (change)
            return change;
    }
    return {};
}

} // namespace

std::string damageContent(std::string& file, const Draw& draw) {
    if (file.empty())
        return "";
    const Content db(file);
    const Statement change = anyChange(db, draw);
    if (!change || !db.run(*change))
        return "";
    file = db.bytes();
    return *change;
}

namespace {

std::string hostileName(const Draw& draw) {
    static const std::array<std::string, 20> pieces{"<img src='/dev/zero'>",
                                                    "<b>",
                                                    "</td></table>",
                                                    "&lt;&#0;",
                                                    "\x1b[2J\x1b]0;t\x07",
                                                    "\xc2\x9b"
                                                    "31m",
                                                    "\xe2\x80\xae",
                                                    "\xff\xfe",
                                                    "=cmd|'!A0",
                                                    "@SUM(A1)",
                                                    "(L+L+)+$",
                                                    "[",
                                                    "%s%n",
                                                    "'; --",
                                                    "\"\r\n",
                                                    "../../",
                                                    "\t",
                                                    "a",
                                                    "/",
                                                    "\xf0\x9f\x92\xa5"};
    std::string name;
    for (std::uint64_t count = 1 + draw(6); count > 0; --count) {
        const std::string& piece = any(pieces, draw);
        constexpr std::uint64_t mostTimes = 3000;
        for (std::uint64_t times = draw(8) == 0 ? draw(mostTimes) : 1; times > 0; --times)
            name += piece;
    }
    return name;
}

} // namespace

std::string renameAll(std::string& file, const Draw& draw) {
    const Content db(file);
    std::string what;
    for (const std::string& table :
         db.column("SELECT name FROM sqlite_master WHERE type = 'table'"))
        for (const std::string& column : db.column(fmt::format(
                 "SELECT name FROM pragma_table_info('{}') WHERE type = 'TEXT' AND pk = 0 AND "
                 "name IN ('name', 'text', 'model', 'scope', 'path', 'handle', 'operation')",
                 table))) {
            std::string hex;
            for (const char c : hostileName(draw))
                hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
            // Names that are ours (of categories, lanes) are no user's.
            if (table == "var_categories" || table == "host_spans")
                continue;
            if (db.run(fmt::format("UPDATE \"{0}\" SET \"{1}\" = \"{1}\" || CAST(x'{2}' AS TEXT)",
                                   table, column, hex)))
                what += fmt::format("{}.{} ", table, column);
        }
    file = withChecksums(db.bytes());
    return what;
}

} // namespace tilescope::test
