// Cells of a table, for tests.
#pragma once

#include <QString>

#include "core/table/table.h"
#include "tests/support/qt_text.h"

namespace tilescope::test {

inline QString cellOf(const Table& table, const Row& row, const char* column) {
    return text(textOf(row.cells[table.columnOf(column)], Unit::None));
}

/// 0 where there is none.
inline std::int64_t numberOf(const Table& table, const Row& row, const char* column) {
    const auto* number = std::get_if<std::int64_t>(&row.cells[table.columnOf(column)]);
    return number == nullptr ? 0 : *number;
}

inline std::int64_t sumOf(const Table& table, const char* column) {
    std::int64_t sum = 0;
    for (const Row& row : table.rows)
        sum += numberOf(table, row, column);
    return sum;
}

} // namespace tilescope::test
