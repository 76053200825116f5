// The contents of a report as values: tables and fields that the command line prints, the window
// shows, and both write as CSV.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/table/unit.h"

namespace tilescope {

/// Where a column or field is shown: a tree's indented names are for people, its paths for
/// programs. The place itself is only Text, Data or Window.
enum class Shown {
    Everywhere,
    Text,    ///< in texts of the command line and in the window
    Data,    ///< in JSON and CSV
    Window,  ///< in the window alone
    Printed, ///< in texts, JSON and CSV of the command line
    Nowhere
};
bool isShown(Shown what, Shown place);

struct Column {
    std::string key;   ///< in JSON and CSV: "maxTileBytes"
    std::string title; ///< for people: "Largest"
    Unit unit = Unit::None;
    std::string help = {};
    bool summed = false; ///< has a value in the row of totals
    Shown shown = Shown::Everywhere;
    bool difference = false; ///< values are changes, written with their sign
};

/// The column, shown there.
inline Column in(Shown shown, Column column) {
    column.shown = shown;
    return column;
}
/// A column of differences.
inline Column differenceOf(Column column) {
    column.difference = true;
    return column;
}

struct Row {
    std::vector<Cell> cells;
    std::int32_t id = -1;    ///< the item that the row is of: a variable, a vertex type, ...
    bool emphasised = false; ///< its text is bold
    Unit unit = Unit::None;  ///< of numbers in columns without a unit, if rows differ in it
};

struct Table {
    std::string key;   ///< in JSON
    std::string title; ///< above the table in text; may be empty
    std::vector<Column> columns;
    std::vector<Row> rows = {};
    std::string emptyText = "none"; ///< instead of a table without rows
    /// The key of the rows' ids; empty if they are not printed. The window has ids, but does not
    /// show them.
    std::string idKey = {};
    std::string summary = {}; ///< a line above the table in the window, such as the total

    Row& add(std::vector<Cell> cells, std::int32_t id = -1, bool emphasised = false) {
        return rows.emplace_back(Row{std::move(cells), id, emphasised, Unit::None});
    }
    /// True if a column is summed: the window's table begins with a row of totals.
    [[nodiscard]] bool hasTotals() const;
    /// The index of a column. Throws InternalError if there is none.
    [[nodiscard]] std::size_t columnOf(std::string_view key) const;
};

/// The unit of a cell.
Unit unitOf(const Row& row, const Column& column);

/// A table without the columns that are not shown there, and with its ids as first column where
/// they are printed.
Table shownIn(Shown place, Table table);

/// Some columns of a table, in this order. Throws InternalError for one that it lacks.
Table onlyColumns(const Table& table, const std::vector<std::string_view>& keys);

/// True for each column with numbers, which are aligned to the right.
std::vector<bool> numberColumns(const Table& table);

/// Sums of the summed columns over some rows; other columns are empty texts, the first is "Total".
/// None is ignored; a change adds both of its sides.
std::vector<Cell> totalsOf(const Table& table, std::span<const std::uint32_t> rows);

/// Numbers before text before none; changes by the size of their difference.
bool cellLess(const Cell& a, const Cell& b);

struct Field {
    std::string key;
    std::string label;
    Cell value;
    Unit unit = Unit::None;
    Shown shown = Shown::Everywhere;
};

/// Numbers of one kind, such as one figure per IPU.
struct NumberList {
    std::string group; ///< in JSON, the object that it is in: "totals"
    std::string key;
    std::string label;
    std::vector<std::int64_t> values;
    Unit unit = Unit::None;
};

/// The contents of a report.
struct Document {
    std::vector<Field> fields;
    std::vector<Table> tables = {};
    std::vector<NumberList> lists = {};
};

/// The columns' keys and the rows' plain values, quoted according to RFC 4180. Text that a
/// spreadsheet would run as a formula gets an apostrophe in front.
void writeCsv(std::ostream& out, const Table& table, char separator = ',');

} // namespace tilescope
