#include <fmt/format.h>

#include "app/cli/report/sections.h"
#include "core/analysis/operations/operations.h"
#include "core/analysis/programs/programs.h"
#include "core/base/units.h"

namespace tilescope::cli {

Document programsSection(const ProfileReader& reader, const ReportRequest& request) {
    const IdVector<ProgramId, Program> programs = reader.programs();
    Document document;
    Table all{"programs",
              "",
              {{"tree", "Tree"},
               {"depth", "Depth"},
               {"program", "Id"},
               {"kind", "Kind"},
               {"name", "Name"},
               {"count", "Count"},
               {"cycles", "Cycles", Unit::Cycles}},
              {}};
    for (const ProgramTree& tree :
         programTrees(programs, reader.controlPrograms(), reader.functions(), reader.computeSets(),
                      reader.exchanges()))
        for (const ProgramLine& line : tree.lines) {
            const Program& program = programs[line.program];
            if (!request.wants(line.label))
                continue;
            all.rows.push_back(
                {tree.title, std::int64_t{line.depth}, std::int64_t{line.program.value()},
                 std::string(toString(program.kind)), program.name, program.count, line.cycles});
        }
    document.tables.push_back(std::move(all));
    return document;
}

Document operationsSection(const ProfileReader& reader, const ReportRequest& request) {
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
        table.rows.push_back({std::int64_t{row.operation.value()}, row.name, row.type,
                              row.outputShape, std::int64_t{row.steps}, std::int64_t{row.calls},
                              row.computeCycles, row.copyCycles, row.exchangeCycles, row.cycles(),
                              row.flops, row.flopsPerCycle, row.codeBytes(), row.exchangeCodeBytes,
                              row.controlCodeBytes, row.vertexCodeBytes, row.vertexStateBytes,
                              row.variableBytes});
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

} // namespace tilescope::cli
