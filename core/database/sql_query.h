// Queries that users write: any SELECT, its rows as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilescope {

class Database;

/// A value of a SQL result: nothing, a number, text, or a blob (given as its size).
struct BlobSize {
    std::size_t bytes = 0;
    friend bool operator==(const BlobSize&, const BlobSize&) = default;
};
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, BlobSize>;

struct SqlResult {
    std::vector<std::string> columns;
    std::vector<std::vector<SqlValue>> rows;
    bool truncated = false; ///< there were more rows than asked for
};

/// A result is held whole, since its columns are as wide as their widest cell.
inline constexpr std::size_t mostResultBytes = std::size_t{1} << 30;

/// Runs one statement, which can only read: no other file is attached or written either. Throws
/// SqlError, with the place where SQLite knows it: bad SQL, another kind of statement, none, or a
/// second one after the first; or a result too large to be held.
SqlResult runQuery(const Database& db, const std::string& sql, std::size_t maxRows,
                   std::size_t maxBytes = mostResultBytes);

/// A value as text that means the same to SQL and to spreadsheets: plain digits, nothing for NULL,
/// "<blob of 12 bytes>".
std::string plainText(const SqlValue& value);

} // namespace tilescope
