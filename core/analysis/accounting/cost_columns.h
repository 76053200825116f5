// The columns of Operations: what each face shows of a row of the accounting.
#pragma once

#include <string_view>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/table/table.h"

namespace tilescope {

struct CostColumn {
    Column column;
    bool standard = true;  ///< in the window's table and in texts unless others are asked for
    bool executed = false; ///< needs a trace
    /// A dash for nothing. `totals`: of the run, for shares.
    Cell (*value)(const CostRow& row, const RunTotals& totals) = nullptr;
};

/// All of them, in the order of the table. The first is the row's path, whose title names the layer.
const std::vector<CostColumn>& costColumns();
/// Nullptr if there is none.
const CostColumn* costColumn(std::string_view key);

/// "Operation", "Scope", "PopLibs call", ...
std::string_view titleOf(CostLayer layer);

/// A row of the table for each row of the accounting, whose ids are their places. `wanted`: keys of
/// columns, of which those that need a trace are left out without one; empty: all for programs, the
/// standard ones for people.
Table costTable(const std::vector<CostRow>& rows, const RunTotals& totals, CostLayer layer,
                const std::vector<std::string_view>& wanted = {});

} // namespace tilescope
