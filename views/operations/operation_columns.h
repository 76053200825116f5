// The columns of the operations report.
#pragma once

#include <QStringList>
#include <vector>

#include "core/analysis/operations/operation_groups.h"
#include "views/tables/data_table.h"

namespace tilescope::views {

/// A column that the user may choose.
struct OperationColumn {
    QString key; ///< for settings; never shown
    QString title;
    CellKind kind = CellKind::Count;
    QString toolTip;
    bool standard = true;  ///< shown unless the user chooses otherwise
    bool executed = false; ///< needs a trace
    /// The value in a group; a dash for nothing. `total`: of the same column over all groups, for
    /// shares.
    Cell (*value)(const OperationGroup& group, double total) = nullptr;
    /// What shares are of; nullptr if the column is none.
    std::int64_t (*shareOf)(const OperationGroup& group) = nullptr;
    /// What two profiles are compared by; nullptr if the column is no whole number.
    std::int64_t (*compared)(const OperationGroup& group) = nullptr;
};

/// All of them, in the order of the table. The name of the group is not among them.
const std::vector<OperationColumn>& operationColumns();
/// Nullptr if there is none.
const OperationColumn* operationColumn(const QString& key);

} // namespace tilescope::views
