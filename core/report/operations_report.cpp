#include "core/analysis/operations/operations.h"
#include "core/report/report.h"

namespace tilescope {

Document operationsReport(const ProfileReader& reader, const ReportRequest& request) {
    Table table{"operations",
                "Operations",
                {{"operation", "Id"},
                 {"name", "Operation"},
                 {"type", "Type"},
                 {"outputShape", "Output"},
                 {"steps", "Steps"},
                 {"calls", "Calls"},
                 {"computeCycles", "Compute", Unit::Cycles},
                 {"copyCycles", "Copies", Unit::Cycles},
                 {"exchangeCycles", "Exchange", Unit::Cycles},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"flops", "Work", Unit::Flops},
                 {"flopsPerCycle", "FLOP/cycle"},
                 {"codeBytes", "Code", Unit::Bytes},
                 {"exchangeCodeBytes", "Exchange code", Unit::Bytes},
                 {"controlCodeBytes", "Control code", Unit::Bytes},
                 {"vertexCodeBytes", "Vertex code", Unit::Bytes},
                 {"vertexStateBytes", "State", Unit::Bytes},
                 {"variableBytes", "Variables", Unit::Bytes}},
                {}};
    const auto operations = reader.operations();
    const auto variables = reader.variables();
    const auto computeSets = reader.computeSets();
    const auto exchanges = reader.exchanges();
    const auto programs = reader.programs();
    const auto copies = reader.copies();
    const auto vertexTypes = reader.vertexTypes();
    std::int64_t cycles = 0;
    std::int64_t code = 0;
    std::int64_t count = 0;
    for (const OperationRow& row : operationTable(
             {operations, variables, computeSets, exchanges, programs, copies, &vertexTypes})) {
        if (!request.wants(row.name))
            continue;
        table.add({std::int64_t{row.operation.value()}, row.name, row.type, row.outputShape,
                   std::int64_t{row.steps}, std::int64_t{row.calls}, row.computeCycles,
                   row.copyCycles, row.exchangeCycles, row.cycles(), row.flops, row.flopsPerCycle,
                   row.codeBytes(), row.exchangeCodeBytes, row.controlCodeBytes,
                   row.vertexCodeBytes, row.vertexStateBytes, row.variableBytes});
        cycles += row.cycles();
        code += row.codeBytes();
        ++count;
    }
    Document document;
    document.fields = {{"totalOperations", "Operations", count},
                       {"totalCodeBytes", "Exchange and control code", code, Unit::Bytes},
                       {"totalCycles", "Cycles, each operation once", cycles, Unit::Cycles}};
    document.tables.push_back(std::move(table));
    return document;
}

} // namespace tilescope
