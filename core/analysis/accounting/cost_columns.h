// The columns of Operations, shared by the view and the report: what each shows of a row.
#pragma once

#include <string_view>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/table/table.h"

namespace tilescope {

struct CostColumn {
    Column column;
    bool standard = true;  ///< shown by default, in the window's table and in text reports
    bool executed = false; ///< needs a trace
    /// Returns no value (a dash) if there is none. `totals`: of the run, for shares.
    Cell (*value)(const CostRow& row, const RunTotals& totals) = nullptr;
};

/// All columns, in table order. The first is the row's path; its title names the layer.
const std::vector<CostColumn>& costColumns();
/// Nullptr if there is none.
const CostColumn* costColumn(std::string_view key);

/// "Operation", "Scope", "PopLibs call", ...
std::string_view titleOf(CostLayer layer);

/// A table with one row for each row of the accounting; ids are indices into `rows`. `wanted`: keys
/// of columns; those that need a trace are left out without one. Empty: all for programs, the
/// standard ones for people.
Table costTable(const std::vector<CostRow>& rows, const RunTotals& totals, CostLayer layer,
                const std::vector<std::string_view>& wanted = {});

} // namespace tilescope
