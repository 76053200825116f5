// What the comparison shows, made on a worker thread.
#pragma once

#include <array>
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

/// The metrics of the verdict in source, target and their difference. A value that a side lacks,
/// such as the cycles of a program that does not fit, is a dash, and so is its difference.
ValueTree headlineFigures(const Comparison& comparison);

/// The `most` largest causes of the change of memory (Unit::Bytes) or cycles; ids are OperationIds.
Table largestCauses(const Comparison& comparison, Unit unit, std::size_t most);

/// "1.5", "1,600": how many times as much.
QString timesText(double times);

/// One of the figures that a comparison is judged by.
struct VerdictFigure {
    enum class Level { Good, Bad, Plain };
    QString title;
    QString source; ///< a dash where that side lacks it
    QString target;
    QString change; ///< "−3.0 %"; empty where there is none
    Level level = Level::Plain;
    bool sourceIsBad = false; ///< exceeds the available memory
    bool targetIsBad = false;
    QString detail = {}; ///< a sentence: which side fits, samples per second
};

/// The outcome of the change: the fullest tile and whether each side fits, the time of a sample,
/// and the memory of all tiles (per sample if the comparison is).
std::array<VerdictFigure, 3> comparisonVerdict(const Comparison& comparison, ByteUnits units);

} // namespace tilescope::views
