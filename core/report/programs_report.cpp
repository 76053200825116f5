#include "core/analysis/programs/programs.h"
#include "core/report/report.h"

namespace tilescope {

Document programsReport(const ProfileReader& reader, const ReportRequest& request) {
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
            all.add({tree.title, line.depth, cellOf(line.program),
                     std::string(toString(program.kind)), program.name, program.count,
                     line.cycles});
        }
    document.tables.push_back(std::move(all));
    return document;
}

} // namespace tilescope
