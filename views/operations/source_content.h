// The user's files with what their lines cost.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/analysis/insights/wait_causes.h"
#include "views/operations/operations_content.h"

namespace tilescope::views {

/// What is counted for each line.
enum class CodeMetric : std::uint8_t {
    Cycles,
    Flops,
    Exchanged,  ///< bytes that tiles receive
    Code,       ///< bytes; what several lines share is not part of any
    AlwaysLive, ///< bytes
};
inline constexpr std::size_t codeMetrics = 5;

/// What a column beside the code shows, in units of the file's metric.
enum class CodeColumn : std::uint8_t {
    Forward,
    Backward,
    Update,
    Waits,  ///< that the line causes
    Called, ///< with all that the line calls
    Source, ///< of two profiles
    Target,
    Change, ///< target less source
    Amount, ///< all, of a metric that is not divided into passes
};

/// A line of a file. Costs are of the run, or of one execution where nothing ran, over all IPUs.
struct CodeLine {
    std::int32_t number = 0;           ///< 0: only in the target
    QString text;                      ///< as recorded; empty where it was not
    std::int64_t cost = 0;             ///< the line's part of the run
    std::vector<std::int64_t> figures; ///< by column of the file
    std::int32_t row = -1;             ///< of the accounting with the highest cost; none: -1
    std::int32_t targetNumber = 0;     ///< of two versions; 0: only in the source
    std::int32_t moved = 0;  ///< its number in the other version, where it is at another place
    std::int32_t edited = 0; ///< likewise of a line that was edited

    [[nodiscard]] std::int64_t figure(std::size_t column) const {
        return column < figures.size() ? figures[column] : 0;
    }
};

struct CodeFile {
    QString name;
    QString path;          ///< as the program named it; of two versions the target's
    bool recorded = false; ///< its text is in the profile: all lines are here, not only the costly
    SourceFileState onDisk = SourceFileState::NotRecorded; ///< of two versions the target's
    CodeMetric metric = CodeMetric::Cycles;
    std::int64_t cost = 0;
    std::vector<CodeColumn> columns;
    std::vector<CodeLine> lines;
    [[nodiscard]] bool comparing() const {
        return !columns.empty() && columns.front() == CodeColumn::Source;
    }
};

/// All files, and what has no line.
struct CodeFiles {
    std::vector<CodeFile> files;  ///< costliest first; of two profiles the largest changes first
    std::int64_t total = 0;       ///< the whole run's cost; of two profiles the source's
    std::int64_t targetTotal = 0; ///< of two profiles
    std::int64_t noLine = 0;      ///< of `total`
};

/// Of a report of CostLayer::Line. With two profiles each file has the lines of both versions.
/// Waits by cause are cycles: other metrics leave them out.
CodeFiles codeFiles(const OperationsReport& report, CodeMetric metric = CodeMetric::Cycles);

/// Text without what could change the direction of the line or hide: control and bidirectional
/// characters are shown as their code points, tabs as blanks, and long lines are cut.
QString plainCode(const QString& text);

} // namespace tilescope::views
