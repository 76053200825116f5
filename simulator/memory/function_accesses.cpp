#include "simulator/memory/function_accesses.h"

#include <algorithm>

namespace tilescope::sim {

FunctionAccesses::FunctionAccesses(const Profile& profile)
    : accessors_(profile.variables.size()) {
    for (const auto* roots : {&profile.controlPrograms, &profile.functions})
        for (const ProgramId root : *roots)
            collect(profile, root, root);
    for (const ProgramId function : profile.functions)
        closeOver(function);
}

bool FunctionAccesses::isOwn(ProgramId function, VariableId variable) const {
    const std::set<ProgramId>& inside = uses_.at(function).functions;
    const std::set<ProgramId>& by = accessors_[variable.index()];
    return std::all_of(by.begin(), by.end(), [&](ProgramId f) { return inside.contains(f); });
}

void FunctionAccesses::collect(const Profile& profile, ProgramId id, ProgramId root) {
    const Program& program = profile.programs[id];
    Uses& own = own_[root];
    if (program.kind == ProgramKind::Call)
        own.functions.insert(program.target);
    for (const auto* accesses : {&program.variablesRead, &program.variablesWritten})
        for (const VariableId variable : *accesses) {
            own.variables.insert(variable);
            accessors_[variable.index()].insert(root);
        }
    for (const ProgramId child : program.children)
        collect(profile, child, root);
}

const FunctionAccesses::Uses& FunctionAccesses::closeOver(ProgramId function) {
    if (const auto known = uses_.find(function); known != uses_.end())
        return known->second;
    Uses all{{function}, own_[function].variables};
    for (const ProgramId callee : own_[function].functions) {
        const Uses& inner = closeOver(callee);
        all.functions.insert(inner.functions.begin(), inner.functions.end());
        all.variables.insert(inner.variables.begin(), inner.variables.end());
    }
    return uses_.emplace(function, std::move(all)).first->second;
}

} // namespace tilescope::sim
