#include "app/cli/report/tree_text.h"

#include <fmt/format.h>
#include <ostream>

#include "app/cli/document.h"
#include "core/analysis/programs/programs.h"
#include "core/base/units.h"

namespace tilescope::cli {

void writeProgramTrees(std::ostream& out, const ProfileReader& reader,
                       const ReportRequest& request) {
    bool first = true;
    for (const ProgramTree& tree :
         programTrees(reader.programs(), reader.controlPrograms(), reader.functions(),
                      reader.computeSets(), reader.exchanges())) {
        out << (first ? "" : "\n") << tree.title << '\n';
        first = false;
        for (const ProgramLine& line : tree.lines) {
            if (!request.wants(line.label))
                continue;
            out << std::string(static_cast<std::size_t>(line.depth + 1) * 2, ' ')
                << printable(line.label);
            if (line.cycles > 0)
                out << "  " << formatCycles(line.cycles);
            out << '\n';
        }
    }
}

} // namespace tilescope::cli
