// Tables of two profiles, and of several selections of one: tiles, or steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare/matching.h"
#include "core/table/table.h"

namespace tilescope {

/// An item of a profile with a value.
struct NamedValue {
    std::string name;
    std::int64_t value = 0;
    std::int32_t id = -1;
};
/// The names of a table's rows with the values of a column.
std::vector<NamedValue> namedValues(const Table& table, std::string_view column);

/// Columns name, source, target, difference, the largest difference first. Values match by their
/// ids. Ids of rows are the source's, -1 for items that only the target has.
Table comparedTable(const std::string& nameTitle, Unit unit, std::vector<NamedValue> source,
                    std::vector<NamedValue> target, const Matching& matching);
/// Likewise for values that are not items of the profiles: they match by name.
Table comparedByName(const std::string& nameTitle, Unit unit, std::vector<NamedValue> source,
                     std::vector<NamedValue> target);

/// Two tables with the same columns, rows matched by their index: each column with a unit has
/// source, target and, unless it is a share, the difference. A column that only one of them shows
/// is shown.
Table tableOfTwo(const Table& source, const Table& target);

/// The values of one column; `target` is empty unless two profiles are compared. The target's
/// selection may have its own title: a step may have another number there.
struct ValueColumn {
    std::string title;
    std::vector<NamedValue> source;
    std::vector<NamedValue> target;
    std::string targetTitle = {}; ///< that of the source if empty
};

/// A row for each item and a column for each selection, largest first, with totals; items are
/// identified by their ids. One profile (no matching): two columns are followed by their
/// difference. Two profiles: each column has source, target and difference. Ids are the source's,
/// -1 for items that only the target has.
Table columnTable(const std::string& nameTitle, Unit unit, const Matching* matching,
                  std::vector<ValueColumn> columns);

} // namespace tilescope
