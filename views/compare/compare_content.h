// What the comparison shows, made on a worker thread.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/comparison.h"
#include "views/session/open_profile.h"
#include "views/tables/data_table.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

using ComparisonPtr = std::shared_ptr<const Comparison>;

/// Compares two open profiles; parts that other reports show are not loaded again.
ComparisonPtr comparisonOf(const ProfilePair& profiles, const std::stop_token& stop);

/// The metrics of the verdict in source, target and their difference. What a side does not have,
/// such as the cycles of what does not fit, is a dash, and so is its difference.
ValueTree headlineFigures(const Comparison& comparison);

// Ids of rows are the source's, -1 where only the target has the item.

/// The `most` largest causes of the change of memory (bytes) or cycles; ids are OperationIds.
DataTable largestCauses(const Comparison& comparison, MetricUnit unit, std::size_t most);
/// All causes, with the values of both sides and the changes of plans.
DataTable causesTable(const Comparison& comparison, MetricUnit unit);
/// Operations whose plan changed; ids are OperationIds.
DataTable plansTable(const Comparison& comparison);
/// One of the comparison's tables, by its place; source, target, difference and percent of its
/// first column, then the differences of the others.
DataTable changesTable(const Comparison& comparison, std::size_t table);
/// Operations in the order of the model with what is live and how long each takes.
DataTable alignedTable(const Comparison& comparison);

/// A sentence of the verdict.
struct VerdictLine {
    enum class Level { Good, Bad, Plain };
    Level level = Level::Plain;
    QString text;
};

/// What came of the change: whether each side fits, which is faster if both run (by samples a
/// second where runs take different numbers of samples), how the peak and what is always live
/// changed, and the options that differ.
std::vector<VerdictLine> comparisonVerdict(const Comparison& comparison, ByteUnits units);

} // namespace tilescope::views
