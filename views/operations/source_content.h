// The user's files with what their lines cost.
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/source/source_names.h"

namespace tilescope::views {

/// A line of a file. Cycles are of the run, or of one execution where nothing ran, over all IPUs.
struct CodeLine {
    std::int32_t number = 0;
    QString text; ///< as recorded; empty where it was not
    std::int64_t cycles = 0;
    std::array<std::int64_t, 3> byPass{}; ///< by ModelPhase
    std::int32_t row = -1;                ///< of the accounting with the most cycles; none: -1
};

struct CodeFile {
    QString name;
    bool recorded = false; ///< its text is in the profile: all lines are here, not only the costly
    std::int64_t cycles = 0;
    std::vector<CodeLine> lines;
};

/// Files with costs, costliest first. `rows`: of CostLayer::Line.
std::vector<CodeFile> codeFiles(const SourceNames& names, const std::vector<CostRow>& rows,
                                bool executed);

/// Text without what could change the direction of the line or hide: control and bidirectional
/// characters are shown as their code points, tabs as blanks, and long lines are cut.
QString plainCode(const QString& text);

} // namespace tilescope::views
