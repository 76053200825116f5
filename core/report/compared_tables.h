// Tables of two profiles, and of several selections of one: tiles, or steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/table.h"

namespace tilescope {

/// A name with a value, to be matched with the same name of another profile.
struct NamedValue {
    std::string name;
    std::int64_t value = 0;
    std::int32_t id = -1;
};
/// The names of a table's rows with the values of a column.
std::vector<NamedValue> namedValues(const Table& table, std::string_view column);

/// Columns name, source, target, difference; rows of equal names are summed, the largest difference
/// first. Ids are the source's, -1 for what only the target has.
Table comparedTable(const std::string& nameTitle, Unit unit, std::vector<NamedValue> source,
                    std::vector<NamedValue> target);

/// Two tables with the same columns, rows matched by their place: each column with a unit has
/// source, target and, unless it is a share, the difference. A column that only one shows is shown.
Table tableOfTwo(const Table& source, const Table& target);

/// The values of one column; `target` is empty unless two profiles are compared. The target's
/// selection may have a title of its own: a step has another number there.
struct ValueColumn {
    std::string title;
    std::vector<NamedValue> source;
    std::vector<NamedValue> target;
    std::string targetTitle = {}; ///< that of the source if empty
};

/// A row for each item and a column for each selection, largest first, with totals. One profile:
/// items match by id; two columns are followed by their difference. Two profiles: items match by
/// name, and each column has source, target and difference. Ids are the source's, -1 for what only
/// the target has.
Table columnTable(const std::string& nameTitle, Unit unit, bool comparing,
                  std::vector<ValueColumn> columns);

} // namespace tilescope
