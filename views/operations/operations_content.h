// What the operations report shows, made on a worker thread.
#pragma once

#include <QStringList>
#include <filesystem>
#include <stop_token>

#include "core/analysis/accounting/called_cycles.h"
#include "core/analysis/accounting/cost_columns.h"
#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/insights/line_remarks.h"
#include "core/analysis/insights/wait_causes.h"
#include "core/analysis/source/files_on_disk.h"
#include "views/summary/bars.h"
#include "views/tables/cell_text.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// What a row stands for: how costs are grouped.
struct GroupChoice {
    CostLayer layer = CostLayer::Place;
    int depth = 1;                         ///< parts of a scope
    SourceReach reach = SourceReach::Mine; ///< whose lines count, in layers of lines
    bool waitsByCause = false; ///< of one profile's lines: waits are part of what causes them
    /// That the user's files are in, of lines; empty: the one that they are known to be in.
    std::filesystem::path sources = {};
    friend bool operator==(const GroupChoice&, const GroupChoice&) = default;
};

/// The accounting's rows of a profile and their totals.
struct CostTableData {
    std::vector<CostRow> rows;
    RunTotals totals;
    std::vector<TraceRun> otherRuns;
};

/// The rows of one or two profiles.
struct OperationsReport {
    GroupChoice choice;
    CostTableData source;
    CostTableData target;  ///< empty if there is none
    int depth = 1;         ///< most parts that a scope can have
    bool hasLines = false; ///< the source records lines of the program
    /// Of the source, where rows are lines.
    std::shared_ptr<const SourceNames> names;
    /// Of the target, where rows are lines and it has any.
    std::shared_ptr<const SourceNames> targetNames;
    /// Of the files of `names` and `targetNames`, and the folders that they were compared with.
    IdVector<SourceFileId, SourceFileState> states, targetStates;
    std::filesystem::path folder, targetFolder;
    std::vector<CausedWait> waits; ///< where they are wanted
    /// A line of the program, one entry for each IPU, with all that it calls: of one profile that
    /// was executed, where rows are lines.
    std::vector<CalledCycles> called;
    /// By row of the source, where rows are lines: of several operations that of the longest step.
    std::vector<OperationId> mainOperations;
    /// Of the source, where rows are lines; made with the first details.
    std::shared_ptr<const LazyPart<std::vector<LineRemark>>> remarks;
    bool executed = false;  ///< there is a trace (with two profiles: in both)
    bool runsAlike = false; ///< of two profiles, with as many samples
};
OperationsReport readOperations(const ProfilePair& profiles, const GroupChoice& choice,
                                const std::stop_token& stop);

/// Columns that the window shows unless the user chooses others, by key.
QStringList standardColumns();

/// Columns of whole numbers, which can be compared between two profiles.
std::vector<const CostColumn*> comparableColumns();

/// Which rows the table of one profile has.
enum class ShownRows {
    All,
    Costly ///< without those that neither take cycles nor have memory
};
/// The source's rows with those of the columns that are available; ids are places in the report.
Table groupTable(const OperationsReport& report, const QStringList& columns,
                 ShownRows shown = ShownRows::All);
/// One column of both profiles side by side; ids as above.
Table comparedGroups(const OperationsReport& report, const CostColumn& column);

/// Everything about one row.
struct GroupDetails {
    ValueTree summary;
    Table steps; ///< ids are ProgramIds
    std::vector<NamedBars::Bar> code;
    std::vector<NamedBars::Bar> cycles; ///< the longest steps; ids are ProgramIds
};
/// With two profiles the summary has both; steps, code, cycles and remarks are the source's.
GroupDetails groupDetails(const ProfilePair& profiles, const OperationsReport& report,
                          std::size_t row, const Theme& theme, const std::stop_token& stop);

} // namespace tilescope::views
