#include "views/programs/program_model.h"

#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"

namespace tilescope::views {
namespace {

/// Fills the order from top to bottom, without recursion.
void putInOrder(ProgramTreeData& tree) {
    tree.placeOf.assign(tree.programs->size(), -1);
    std::vector<ProgramId> open(tree.roots.rbegin(), tree.roots.rend());
    while (!open.empty()) {
        const ProgramId id = open.back();
        open.pop_back();
        tree.placeOf[id.index()] = static_cast<int>(tree.order.size());
        tree.order.push_back(id);
        const std::vector<ProgramId>& children = (*tree.programs)[id].children;
        open.insert(open.end(), children.rbegin(), children.rend());
    }
}

void setMatches(ProgramTreeData& tree, std::vector<ProgramMatch> matches,
                const ProgramTreeData& other) {
    tree.matches = std::move(matches);
    tree.otherCycles.assign(tree.matches.size(), 0);
    for (std::size_t i = 0; i < tree.matches.size(); ++i)
        if (tree.matches[i].other.valid())
            tree.otherCycles[i] = other.costs[tree.matches[i].other.index()].cycles;
}

} // namespace

ProgramTreeData readProgramTree(const ProfileView& profile, const std::stop_token& stop,
                                CostBasis basis) {
    ProgramTreeData tree;
    tree.programs = profile.programs(stop);
    tree.operations = profile.operations(stop);
    tree.roots = *profile.controlPrograms(stop);
    tree.controlPrograms = tree.roots.size();
    const auto functions = profile.functions(stop);
    tree.roots.insert(tree.roots.end(), functions->begin(), functions->end());

    const auto& programs = *tree.programs;
    tree.rowOf.assign(programs.size(), -1);
    const auto place = [&](ProgramId program, ProgramId parent, std::size_t row) {
        if (program.index() >= programs.size() || programs[program].parent != parent ||
            tree.rowOf[program.index()] >= 0)
            throw DamagedProfile("the program tree is no tree");
        tree.rowOf[program.index()] = static_cast<int>(row);
    };
    for (std::size_t i = 0; i < tree.roots.size(); ++i)
        place(tree.roots[i], ProgramId(), i);
    for (std::size_t p = 0; p < programs.size(); ++p) {
        const Program& program = programs[ProgramId(p)];
        for (std::size_t i = 0; i < program.children.size(); ++i)
            place(program.children[i], ProgramId(p), i);
        tree.labels.push_back(programLabel(program));
    }
    putInOrder(tree);
    tree.costs = programCosts(profile, stop, basis);
    tree.estimated = basis == CostBasis::Estimate || !profile.info().hasExecution;
    return tree;
}

ComparedTrees readComparedTrees(const ProfileView& source, const ProfileView& target,
                                const std::stop_token& stop) {
    const CostBasis basis = source.info().hasExecution && target.info().hasExecution
                                ? CostBasis::Trace
                                : CostBasis::Estimate;
    ComparedTrees trees{readProgramTree(source, stop, basis), readProgramTree(target, stop, basis)};
    ProgramTreeData& a = trees.source;
    ProgramTreeData& b = trees.target;
    ProgramDiff diff =
        diffPrograms({*a.programs, a.roots, a.costs}, {*b.programs, b.roots, b.costs});
    setMatches(a, std::move(diff.source), b);
    setMatches(b, std::move(diff.target), a);
    b.ofTarget = true;
    return trees;
}

} // namespace tilescope::views
