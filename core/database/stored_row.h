// A row of a table, whoever reads it: SQLite (Statement) or a scan of the file's pages (TableScan).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilescope {

/// The columns of a row, counted from 0. A value of another type than is asked for is converted.
class StoredRow {
public:
    [[nodiscard]] virtual bool isNull(int at) const = 0;
    /// Whether it is an integer or a real number.
    [[nodiscard]] virtual bool isNumber(int at) const = 0;
    [[nodiscard]] virtual std::int64_t integer(int at) const = 0;
    [[nodiscard]] virtual double real(int at) const = 0;
    [[nodiscard]] virtual std::string text(int at) const = 0;
    /// The bytes of a text or blob, valid until the next row.
    [[nodiscard]] virtual std::span<const std::byte> blob(int at) const = 0;

protected:
    StoredRow() = default;
    ~StoredRow() = default;
    StoredRow(const StoredRow&) = default;
    StoredRow(StoredRow&&) = default;
    StoredRow& operator=(const StoredRow&) = default;
    StoredRow& operator=(StoredRow&&) = default;
};

} // namespace tilescope
