// The waterfall of a comparison as a table, for the command line and the window.
#pragma once

#include "core/analysis/compare/waterfall.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each step; column "cycles" goes from the source's to the target's. Empty without a
/// waterfall.
Table waterfallTable(const std::optional<Waterfall>& waterfall);

} // namespace tilescope
