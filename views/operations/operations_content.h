// What the operations report shows, made on a worker thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "views/operations/operation_columns.h"
#include "views/session/open_profile.h"
#include "views/summary/bars.h"
#include "views/tables/data_table.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// What rows stand for.
struct GroupChoice {
    OperationLayer layer = OperationLayer::Operation;
    int depth = 1; ///< parts of a scope
    friend bool operator==(const GroupChoice&, const GroupChoice&) = default;
};

/// The groups of one or two profiles.
struct OperationsReport {
    GroupChoice choice;
    std::vector<OperationGroup> source;
    std::vector<OperationGroup> target; ///< empty if there is none
    int depth = 1;                      ///< most parts that a scope can have
    bool executed = false;              ///< there is a trace (with two profiles: in both)
};
OperationsReport readOperations(const ProfilePair& profiles, const GroupChoice& choice,
                                const std::stop_token& stop);

/// A row for each group of the source, by their place in the report, with the columns that are
/// wanted and can be had.
DataTable groupTable(const OperationsReport& report, const QStringList& columns);
/// One column of both profiles side by side; ids as above.
DataTable comparedGroups(const OperationsReport& report, const OperationColumn& column);

/// Estimated cycles of the operations side by side, for the comparison.
DataTable operationsTable(const ProfilePair& profiles, const std::stop_token& stop);

/// Everything about one group.
struct GroupDetails {
    ValueTree summary;
    DataTable steps; ///< ids are ProgramIds
    std::vector<NamedBars::Bar> code;
    std::vector<NamedBars::Bar> cycles; ///< the longest steps; ids are ProgramIds
};
/// With two profiles the summary has both; steps, code and cycles are the source's.
GroupDetails groupDetails(const ProfilePair& profiles, const OperationsReport& report,
                          std::size_t group, const Theme& theme, const std::stop_token& stop);

/// What an operation is, with its plan and options.
ValueTree operationDetails(const OpenProfile& profile, OperationId id, const std::stop_token& stop);

} // namespace tilescope::views
