#include "core/store/table_group.h"

namespace tilescope {

// Each is defined in the file of its name.
TableGroup infoTables();
TableGroup operationTables();
TableGroup modelGraphTables();
TableGroup variableTables();
TableGroup computeSetTables();
TableGroup exchangeTables();
TableGroup copyTables();
TableGroup streamTables();
TableGroup remoteTables();
TableGroup programTables();
TableGroup livenessTables();
TableGroup memoryTables();
TableGroup placementTables();
TableGroup traceTables();
TableGroup tracePageTables();
TableGroup hostTables();
TableGroup pipelineTables();
TableGroup valueTables();
TableGroup hostRecordTables();

std::span<const TableGroup> tableGroups() {
    static const TableGroup groups[] = {
        infoTables(),       operationTables(), modelGraphTables(), variableTables(),
        computeSetTables(), exchangeTables(),  copyTables(),       streamTables(),
        remoteTables(),     programTables(),   livenessTables(),   memoryTables(),
        placementTables(),  traceTables(),     tracePageTables(),  hostTables(),
        pipelineTables(),   valueTables(),     hostRecordTables(),
    };
    return groups;
}

} // namespace tilescope
