// What runs in a range of cycles, as a table: the execution trace's answer to "what costs here?".
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/hosts/host_timeline.h"
#include "core/base/enum_names.h"
#include "core/table/table.h"
#include "core/trace/trace_index.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// What each row covers.
enum class RangeGroup { Step, Operation, Type, Kind };
inline constexpr auto rangeGroups = valuesUpTo<RangeGroup::Kind>;
template <>
inline constexpr auto enumNames<RangeGroup> = std::to_array<std::string_view>({"step", "operation",
                                                                               "type", "kind"});

/// The contents of a row: its operation, if it has one, and all programs.
struct RangeRow {
    OperationId operation;
    std::vector<ProgramId> programs; ///< none for Syncs
};

/// The table with its rows' contents, by the rows' ids.
struct RangeTable {
    Table table;
    std::vector<RangeRow> rows;
};

/// The column of stepBalance() (core/trace/range_programs.h), wherever executed steps are listed.
Column stepBalanceColumn();
Cell balanceCell(std::optional<double> balance);

/// Steps that run on these IPUs in a range, most cycles first: how often, cycles within the range,
/// mean and longest execution, share of the range on all of the IPUs, balance, bytes. Throws
/// UserError for a damaged file.
RangeTable rangeTable(const ProfileView& profile, const std::vector<IpuId>& ipus, CycleRange range,
                      RangeGroup by, const std::stop_token& stop = {});

/// Adds what the host did in a range by its own clock, in seconds, a row for each name and channel:
/// tracepoints of the program, and phases of the compilation if these are `shown`. Its share is of
/// the range.
void addHostRows(RangeTable& table, const HostTimeline& host, CycleRange range,
                 bool compilationShown);

} // namespace tilescope
