#include "program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulator/lowering/lower.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::test {
namespace {

std::string namesOf(const Profile& profile, const std::vector<VariableId>& ids) {
    std::vector<std::string> names;
    for (const VariableId id : ids)
        names.push_back(profile.variables[id].name);
    return fmt::format("{}", fmt::join(names, ", "));
}

void print(const Profile& profile, ProgramId id, std::size_t depth, std::string& text) {
    const Program& program = profile.programs[id];
    if (program.kind == ProgramKind::StreamCopyBegin || program.kind == ProgramKind::StreamCopyEnd)
        return;
    text += std::string(2 * depth, ' ');
    if (program.kind == ProgramKind::StreamCopyMid)
        text += "StreamCopy " + program.name;
    else
        text += fmt::format("{} {}", toString(program.kind), program.name);
    if (program.kind == ProgramKind::Repeat)
        text += fmt::format(" x{}", program.count);
    if (program.kind == ProgramKind::Call)
        text += " of " + profile.programs[program.target].name;
    if (!program.variablesRead.empty() || !program.variablesWritten.empty()) {
        const std::string read = namesOf(profile, program.variablesRead);
        text += fmt::format(":{}{} ->", read.empty() ? "" : " ", read);
        if (!program.variablesWritten.empty())
            text += " " + namesOf(profile, program.variablesWritten);
    }
    text += "\n";
    for (const ProgramId child : program.children)
        print(profile, child, depth + 1, text);
}

} // namespace

std::string programText(const Profile& profile) {
    std::string text;
    for (const auto* roots : {&profile.controlPrograms, &profile.functions})
        for (const ProgramId root : *roots)
            print(profile, root, 0, text);
    return text;
}

LoweredProgram lowerOn(const Graph& graph, RunOptions options, std::int32_t tiles) {
    options.machine.target.tilesPerIpu = tiles;
    const Graph simple = decomposed(graph);
    return lowerGraph(simple, options, PlanTable(simple, options.machine, options.planning));
}

} // namespace tilescope::test
