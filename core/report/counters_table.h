// Counters over time as a table of the trace report.
#pragma once

#include "core/analysis/counters/counter_columns.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each column: live memory, bytes by cycle and active tiles, summed over the IPUs.
Table countersTable(const CounterColumns& counters);

/// Rows of the report: as many as fit on a screen.
inline constexpr std::int64_t counterRows = 40;

} // namespace tilescope
