// The tables of a comparison. Ids of the rows are the source's items, -1 for items that only the
// target has; a missing item counts as 0 in a difference.
#pragma once

#include <cstddef>
#include <limits>

#include "core/analysis/compare/comparison.h"
#include "core/table/table.h"

namespace tilescope {

enum class MetricRows { Headline, Changed, All };
inline constexpr std::size_t allRows = std::numeric_limits<std::size_t>::max();

Table metricsTable(const Comparison& comparison, MetricRows rows);
Table optionsTable(const Comparison& comparison);
/// Operations whose plan changed, at most `rows` of them; likewise below.
Table plansTable(const Comparison& comparison, std::size_t rows = allRows);
/// Causes of the change of memory (Unit::Bytes) or of cycles.
Table causesTable(const Comparison& comparison, Unit unit, std::size_t rows = allRows);
/// Operations in the order of the model with what is live and how long each takes.
Table alignedTable(const Comparison& comparison, std::size_t rows = allRows);

enum class ComparedRows { All, Changed };
/// One of the comparison's tables: of the window's columns only the first has all four values.
Table changesTable(const ComparedTable& table, ComparedRows which, std::size_t rows = allRows);
/// How many rows of each table changed, and how.
Table changeCounts(const Comparison& comparison);

} // namespace tilescope
