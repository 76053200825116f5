// What `diff` prints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/document.h"
#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/threshold.h"
#include "core/analysis/compare/waterfall.h"
#include "core/analysis/values/compared_values.h"

namespace tilescope::cli {

/// A comparison with the names of its files and the results of its thresholds.
struct DiffResult {
    std::string sourceFile;
    std::string targetFile;
    Comparison comparison;
    std::vector<ThresholdResult> thresholds;
    ComparedValues values = {};
    std::optional<Waterfall> waterfall = {}; ///< none unless both have run
    Table lines = {}; ///< of the user's program; see comparedLinesTable(). Only if they are shown
};

/// The names of the sections, the whole summary first.
const std::vector<std::string>& diffSections();

/// The summary: verdict, options, plans, causes and how much else changed, at most `rows` lines of
/// each table.
Document diffSummary(const DiffResult& result, std::size_t rows);

/// One section: "metrics", "options", "plans", "memory", "cycles", "aligned", "values",
/// "waterfall", "lines" or a table of the comparison, with at most `rows` lines that changed.
/// Throws InternalError for another name.
Document diffSection(const DiffResult& result, const std::string& section, std::size_t rows,
                     Format format);

/// Everything that changed.
boost::json::value diffJson(const DiffResult& result);

/// The metrics that thresholds may name.
Table metricsList();

} // namespace tilescope::cli
