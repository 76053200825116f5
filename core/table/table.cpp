#include "core/table/table.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/base/error.h"
#include "core/table/csv_field.h"

namespace tilescope {
namespace {

// Adds a cell to a sum that is none or of its kind. A Duration is not added up: among cycles it is
// time of another clock.
void add(Cell& sum, const Cell& cell) {
    if (!numberOf(cell) || std::holds_alternative<Duration>(cell))
        return;
    if (sum.index() != cell.index()) {
        sum = cell;
    } else if (const auto* number = std::get_if<std::int64_t>(&cell)) {
        sum = std::get<std::int64_t>(sum) + *number;
    } else if (const auto* real = std::get_if<double>(&cell)) {
        sum = std::get<double>(sum) + *real;
    } else if (const auto* change = std::get_if<Change>(&cell)) {
        const auto before = std::get<Change>(sum);
        sum = Change(before.source + change->source, before.target + change->target);
    }
}

double rank(const Cell& cell) {
    const double number = numberOf(cell).value_or(0);
    return std::holds_alternative<Change>(cell) ? std::abs(number) : number;
}

} // namespace

bool Table::hasTotals() const {
    return std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.summed; });
}

std::size_t Table::columnOf(std::string_view wanted) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].key == wanted)
            return i;
    throw InternalError("table '" + key + "' has no column '" + std::string(wanted) + "'");
}

bool isShown(Shown what, Shown place) {
    switch (what) {
    case Shown::Everywhere:
        return true;
    case Shown::Text:
        return place != Shown::Data;
    case Shown::Printed:
        return place != Shown::Window;
    case Shown::Nowhere:
        return false;
    case Shown::Data:
    case Shown::Window:
        break;
    }
    return what == place;
}

// Rows in seconds among rows of cycles have Durations there.
Unit unitOf(const Row& row, const Column& column) {
    const bool isTime = row.unit == Unit::Seconds && column.unit == Unit::Cycles;
    return column.unit == Unit::None || isTime ? row.unit : column.unit;
}

Table shownIn(Shown place, Table table) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        if (isShown(table.columns[i].shown, place))
            continue;
        const auto at = static_cast<std::ptrdiff_t>(i);
        table.columns.erase(table.columns.begin() + at);
        for (Row& row : table.rows)
            row.cells.erase(row.cells.begin() + at);
    }
    if (place == Shown::Window || table.idKey.empty())
        return table;
    table.columns.insert(table.columns.begin(), {table.idKey, "Id"});
    for (Row& row : table.rows)
        row.cells.insert(row.cells.begin(), std::int64_t{row.id});
    return table;
}

Table onlyColumns(const Table& table, const std::vector<std::string_view>& keys) {
    Table result = table;
    result.columns.clear();
    for (Row& row : result.rows)
        row.cells.clear();
    for (const std::string_view key : keys) {
        const std::size_t at = table.columnOf(key);
        result.columns.push_back(table.columns[at]);
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            result.rows[i].cells.push_back(table.rows[i].cells[at]);
    }
    return result;
}

std::vector<bool> numberColumns(const Table& table) {
    std::vector<bool> right;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        right.push_back(std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
            const Cell& cell = row.cells[i];
            return !std::holds_alternative<bool>(cell) && numberOf(cell).has_value();
        }));
    return right;
}

std::vector<Cell> totalsOf(const Table& table, std::span<const std::uint32_t> rows) {
    std::vector<Cell> totals(table.columns.size());
    totals.front() = std::string("Total");
    for (std::size_t column = 1; column < totals.size(); ++column) {
        if (!table.columns[column].summed) {
            totals[column] = std::string(); // not a dash: nothing is missing
            continue;
        }
        for (const std::uint32_t row : rows)
            add(totals[column], table.rows[row].cells[column]);
    }
    return totals;
}

bool cellLess(const Cell& a, const Cell& b) {
    const auto* textA = std::get_if<std::string>(&a);
    const auto* textB = std::get_if<std::string>(&b);
    if (textA != nullptr && textB != nullptr)
        return *textA < *textB;
    const bool noneA = std::holds_alternative<std::monostate>(a);
    const bool noneB = std::holds_alternative<std::monostate>(b);
    if (noneA || noneB)
        return noneA && !noneB;
    return rank(a) < rank(b);
}

namespace {

std::string csvCell(const Cell& cell, char separator) {
    const std::string text = rawText(cell);
    return std::holds_alternative<std::string>(cell) ? csvField(text, separator) : text;
}

} // namespace

void writeCsv(std::ostream& out, const Table& whole, char separator) {
    const Table table = shownIn(Shown::Data, whole);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        out << (i == 0 ? std::string() : std::string(1, separator))
            << csvField(table.columns[i].key, separator);
    out << '\n';
    for (const Row& row : table.rows) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            out << (i == 0 ? std::string() : std::string(1, separator))
                << csvCell(row.cells[i], separator);
        out << '\n';
    }
}

} // namespace tilescope
