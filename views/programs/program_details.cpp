#include "views/programs/program_details.h"

#include <iterator>

#include "core/analysis/programs/program_costs.h"
#include "core/analysis/programs/programs.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// How often and how long; nothing for a program that never runs.
void addExecutions(std::vector<ValueNode>& roots, const ProfileView& profile, ProgramId id,
                   const std::stop_token& stop) {
    const std::vector<ProgramCost> costs = programCosts(profile, stop);
    const ProgramCost& cost = costs[id.index()];
    const double clock = profile.machine().clockHz;
    const bool measured = cost.total > 0;
    if (cost.cycles > 0)
        roots.push_back(valueLine(measured ? Text::tr("Cycles of one execution, as executed")
                                           : Text::tr("Cycles of one execution (estimated)"),
                                  Duration{cost.cycles, clock}));
    if (cost.executions > 0)
        roots.push_back(
            valueLine(Text::tr("Executions in all runs"), cost.executions, Unit::Count));
    if (measured)
        roots.push_back(
            valueLine(Text::tr("Cycles of all executions"), Duration{cost.total, clock}));
    if (cost.between != 0)
        roots.push_back(valueLine(cost.between > 0
                                      ? Text::tr("Of these, syncs and waits between steps")
                                      : Text::tr("Less what runs side by side"),
                                  Duration{std::abs(cost.between), clock}));
}

/// Who calls a function.
void addCallers(std::vector<ValueNode>& roots, const IdVector<ProgramId, Program>& programs,
                ProgramId id) {
    if (programs[id].parent.valid())
        return;
    ValueNode callers = valueLine(Text::tr("Called by"), std::monostate(), Unit::Count);
    for (const Program& program : programs)
        if (program.kind == ProgramKind::Call && program.target == id)
            callers.children.push_back(
                valueLine(QString::fromStdString(programLabel(program)), std::string()));
    if (callers.children.empty())
        return;
    callers.values = {static_cast<std::int64_t>(callers.children.size())};
    roots.push_back(std::move(callers));
}

} // namespace

ValueTree programDetails(const ProfileView& profile, ProgramId id, const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const Program& program = (*programs)[id];
    ValueTree tree{Text::tr("Property"), valueTitles(false), {}, true};
    auto& roots = tree.roots;
    roots.push_back(valueLine(Text::tr("Kind"), std::string(toString(program.kind))));
    if (!program.name.empty())
        roots.push_back(valueLine(Text::tr("Name"), program.name));
    if (program.kind == ProgramKind::Repeat)
        roots.push_back(valueLine(Text::tr("Repetitions"), program.count, Unit::Count));
    if (program.target.valid())
        roots.push_back(
            valueLine(Text::tr("Runs function"), programLabel((*programs)[program.target])));
    addCallers(roots, *programs, id);
    addExecutions(roots, profile, id, stop);
    std::vector<ValueNode> parts = programParts(profile, id, stop);
    roots.insert(roots.end(), std::make_move_iterator(parts.begin()),
                 std::make_move_iterator(parts.end()));
    return tree;
}

} // namespace tilescope::views
