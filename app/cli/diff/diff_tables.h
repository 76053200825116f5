// The tables that `diff` prints. Internal to app/cli/diff.
#pragma once

#include <cstddef>

#include "app/cli/document.h"
#include "core/analysis/compare/comparison.h"

namespace tilescope::cli {

enum class MetricRows { Headline, Changed };

/// Text has values in their units, data plain numbers. Data has all metrics.
Table metricsTable(const Comparison& comparison, MetricRows rows, Format format);
Table optionsTable(const Comparison& comparison);
/// At most `rows` of them, and so below.
Table plansTable(const Comparison& comparison, std::size_t rows);
Table memoryCauses(const Comparison& comparison, std::size_t rows);
Table cycleCauses(const Comparison& comparison, std::size_t rows);
Table alignedTable(const Comparison& comparison, std::size_t rows);
/// The changed rows of one of the comparison's tables, each value before and after.
Table changedRows(const ComparedTable& table, std::size_t rows);
/// How many rows of each table changed, and how.
Table changeCounts(const Comparison& comparison);

} // namespace tilescope::cli
