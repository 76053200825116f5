// Tables with a column for each of several selections: tiles, or steps.
#pragma once

#include "views/tables/profile_tables.h"

namespace tilescope::views {

/// The values of one column; `target` is empty unless two profiles are compared. The target's
/// selection may have a title of its own: a step has another number there.
struct ValueColumn {
    QString title;
    std::vector<NamedValue> source;
    std::vector<NamedValue> target;
    QString targetTitle = {}; ///< that of the source if empty
};

/// A row for each item and a column for each selection, largest first, with totals. One profile:
/// items match by id; two columns are followed by their difference. Two profiles: items match by
/// name, and each column has source, target and difference. Ids are the source's, -1 for what only
/// the target has.
DataTable columnTable(const QString& nameTitle, CellKind kind, bool comparing,
                      std::vector<ValueColumn> columns);

} // namespace tilescope::views
