// What the comparison shows, made on a worker thread.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/profile_pair.h"
#include "core/report/compare_tables.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

using ComparisonPtr = std::shared_ptr<const Comparison>;

/// Compares two open profiles; parts that other reports show are not loaded again.
ComparisonPtr comparisonOf(const ProfilePair& profiles, const std::stop_token& stop);

/// The metrics of the verdict in source, target and their difference. What a side does not have,
/// such as the cycles of what does not fit, is a dash, and so is its difference.
ValueTree headlineFigures(const Comparison& comparison, ValueScale scale);

/// The `most` largest causes of the change of memory (Unit::Bytes) or cycles; ids are OperationIds.
Table largestCauses(const Comparison& comparison, Unit unit, std::size_t most, ValueScale scale);

/// A sentence of the verdict.
struct VerdictLine {
    enum class Level { Good, Bad, Plain };
    Level level = Level::Plain;
    QString text;
};

/// What came of the change: whether each side fits, which is faster if both run, how the peak and
/// what is always live changed, and the options that differ.
std::vector<VerdictLine> comparisonVerdict(const Comparison& comparison, ByteUnits units);

} // namespace tilescope::views
