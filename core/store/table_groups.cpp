#include <array>

#include "core/store/table_group.h"

namespace tilescope {

/// All groups, in the order of the file. hostTables() is in host_tables.cpp, and so on; but
/// coverageTables() is in info_tables.cpp, remoteTables() is in stream_tables.cpp,
/// tracePageTables() in trace_tables.cpp.
#define TILESCOPE_TABLE_GROUPS(GROUP)                                                              \
    GROUP(infoTables)                                                                              \
    GROUP(coverageTables)                                                                          \
    GROUP(operationTables)                                                                         \
    GROUP(sourceTables)                                                                            \
    GROUP(modelGraphTables)                                                                        \
    GROUP(variableTables)                                                                          \
    GROUP(computeSetTables)                                                                        \
    GROUP(exchangeTables)                                                                          \
    GROUP(copyTables)                                                                              \
    GROUP(streamTables)                                                                            \
    GROUP(remoteTables)                                                                            \
    GROUP(programTables)                                                                           \
    GROUP(livenessTables)                                                                          \
    GROUP(memoryTables)                                                                            \
    GROUP(placementTables)                                                                         \
    GROUP(traceTables)                                                                             \
    GROUP(tracePageTables)                                                                         \
    GROUP(hostTables)                                                                              \
    GROUP(pipelineTables)                                                                          \
    GROUP(valueTables)                                                                             \
    GROUP(hostRecordTables)

#define TILESCOPE_DECLARE(group) TableGroup group();
TILESCOPE_TABLE_GROUPS(TILESCOPE_DECLARE)
#undef TILESCOPE_DECLARE

std::span<const TableGroup> tableGroups() {
#define TILESCOPE_CALL(group) group(),
    static const auto groups = std::to_array<TableGroup>({TILESCOPE_TABLE_GROUPS(TILESCOPE_CALL)});
#undef TILESCOPE_CALL
    return groups;
}

} // namespace tilescope
