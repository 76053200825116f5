// The list of losses as a table, for the command line and the window.
#pragma once

#include <vector>

#include "core/analysis/insights/losses.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each loss in the order given; ids are their indices. `clockHz`: writes cycles also as
/// time; 0 leaves them cycles.
Table lossesTable(const std::vector<Loss>& losses, double clockHz);

} // namespace tilescope
