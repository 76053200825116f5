// Rows and columns of values, before they are text.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "views/session/preferences.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// A value in source and target; a side that lacks the row has no value.
struct Change {
    std::int64_t source = 0;
    std::int64_t target = 0;
    [[nodiscard]] std::int64_t difference() const { return target - source; }
    friend bool operator==(const Change&, const Change&) = default;
};

/// Cycles of a machine with its clock (Hz), written as the user prefers; 0 leaves them cycles.
struct Duration {
    std::int64_t cycles = 0;
    double clockHz = 0;
    friend bool operator==(const Duration&, const Duration&) = default;
};

/// Nothing (a dash), text, a whole number, a real number, a change or a duration.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Change, Duration>;

/// A number, or nothing.
inline Cell cellOf(const std::optional<std::int64_t>& value) {
    return value ? Cell(*value) : Cell();
}

/// What the values of a column mean, and so how they are written.
enum class CellKind {
    Text,
    Bytes,
    Cycles,
    Count,
    Share,
    Real,
    Flops,
    Nanoseconds, ///< written as a duration
    Rate,        ///< a second: more is better
    BytesChange,
    CyclesChange,
    CountChange,
    NanosecondsChange,
    RateChange,
    BytesDifference, ///< the amount of a change alone, where its percentage has its own column
    CyclesDifference,
    CountDifference,
    NanosecondsDifference,
    SignedShare ///< a share with its sign: "+12.0 %"
};

struct DataColumn {
    QString title;
    CellKind kind = CellKind::Text;
    QString toolTip;
    bool summed = false; ///< has a value in the row of totals
};

struct DataRow {
    std::vector<Cell> cells;
    std::int32_t id = -1;    ///< what the row stands for: a variable, a vertex type, ...
    bool emphasised = false; ///< stands out among its neighbours
};

struct DataTable {
    std::vector<DataColumn> columns;
    std::vector<DataRow> rows;
    QString summary; ///< a line above the table, such as the total
    /// True if a column is summed: the table begins with a row of totals.
    [[nodiscard]] bool hasTotals() const;
};

/// Sums of the summed columns over some rows; other columns are blank, the first says "Total".
/// A dash counts as nothing, a change adds both of its sides.
std::vector<Cell> totalsOf(const DataTable& table, std::span<const std::uint32_t> rows);

/// A cell as people read it; an empty cell is a dash. With a clock (Hz) cycles are written as time
/// if the user prefers that.
QString cellText(const Cell& cell, CellKind kind, const Preferences& preferences,
                 double clockHz = 0);

/// The title of a column, with a word where its cycles are written as time.
QString columnTitle(const QString& title, CellKind kind, const Preferences& preferences,
                    double clockHz);

/// Numbers before text before nothing; changes by the size of their difference.
bool cellLess(const Cell& a, const Cell& b);

/// How a change of this kind is written and coloured.
CellKind changeKindOf(CellKind kind);

/// How the amount of a change of this kind is written.
CellKind differenceKindOf(CellKind kind);

/// The colour of a change: less is better for bytes and cycles, more for rates, counts say nothing.
/// Invalid where the text colour will do.
QColor changeColour(const Change& change, CellKind kind, const Theme& theme);

/// True for everything that is aligned right.
bool isNumber(CellKind kind);

} // namespace tilescope::views
