#include "core/database/sql_query.h"

#include <algorithm>
#include <fmt/format.h>
#include <sqlite3.h>

#include "core/database/database.h"

namespace tilescope {
namespace {

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
void expectNothingBehind(const Database& db, const std::string& sql, std::size_t end) {
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

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + '"';
}

std::string inOneCell(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

template <class Cell>
std::string linesOf(const SqlResult& result, char separator, const char* end, Cell cell) {
    std::string text;
    const auto line = [&](const auto& values, const auto& textOf) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0)
                text += separator;
            text += cell(textOf(values[i]));
        }
        text += end;
    };
    line(result.columns, [](const std::string& name) { return name; });
    for (const auto& row : result.rows)
        line(row, plainText);
    return text;
}

} // namespace

SqlResult runQuery(const Database& db, const std::string& sql, std::size_t maxRows) {
    SqlResult result;
    Statement row = db.prepare(sql);
    if (!row.valid())
        throw SqlError("there is no statement to run", "there is no statement to run", {});
    expectNothingBehind(db, sql, row.length());
    for (int i = 0; i < row.columns(); ++i)
        result.columns.push_back(row.columnName(i));
    while (row.step()) {
        if (result.rows.size() == maxRows) {
            result.truncated = true;
            break;
        }
        std::vector<SqlValue>& values = result.rows.emplace_back();
        for (int i = 0; i < row.columns(); ++i)
            values.push_back(valueAt(row, i));
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

std::string csvOf(const SqlResult& result) {
    return linesOf(result, ',', "\r\n", quoted);
}

std::string tabbedOf(const SqlResult& result) {
    return linesOf(result, '\t', "\n", inOneCell);
}

} // namespace tilescope
