#include "core/analysis/programs/programs.h"

#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

class TreeWalk {
public:
    TreeWalk(const IdVector<ProgramId, Program>& programs,
             const IdVector<ComputeSetId, ComputeSet>& computeSets,
             const IdVector<ExchangeId, Exchange>& exchanges)
        : programs_(programs)
        , computeSets_(computeSets)
        , exchanges_(exchanges)
        , seen_(programs.size(), false) {}

    ProgramTree walk(const std::string& title, ProgramId root) {
        ProgramTree tree;
        // An explicit stack: a damaged file may nest deeper than the call stack allows.
        std::vector<std::pair<ProgramId, std::int32_t>> open{{root, 0}};
        while (!open.empty()) {
            const auto [id, depth] = open.back();
            open.pop_back();
            if (!id.valid() || id.index() >= programs_.size())
                throw DamagedProfile("the program tree names a program that does not "
                                     "exist");
            if (seen_[id.index()])
                throw DamagedProfile(fmt::format("program {} is in the tree twice", id.value()));
            seen_[id.index()] = true;
            const Program& p = programs_[id];
            tree.lines.push_back(
                {id, depth, programLabel(p), programCycles(p, computeSets_, exchanges_)});
            for (auto child = p.children.rbegin(); child != p.children.rend(); ++child)
                open.emplace_back(*child, depth + 1);
        }
        const std::string& name = programs_[root].name;
        tree.title = name.empty() ? title : fmt::format("{} ({})", title, name);
        return tree;
    }

private:
    const IdVector<ProgramId, Program>& programs_;
    const IdVector<ComputeSetId, ComputeSet>& computeSets_;
    const IdVector<ExchangeId, Exchange>& exchanges_;
    std::vector<bool> seen_;
};

} // namespace

std::string programLabel(const Program& program) {
    std::string label(program.kindText());
    if (program.kind == ProgramKind::Repeat)
        label += program.count == 1 ? std::string(" once")
                                    : fmt::format(" {} times", withThousands(program.count));
    if (!program.name.empty())
        label += fmt::format(" ({})", program.name);
    return label;
}

std::int64_t programCycles(const Program& program,
                           const IdVector<ComputeSetId, ComputeSet>& computeSets,
                           const IdVector<ExchangeId, Exchange>& exchanges) {
    if (program.computeSet.valid() && program.computeSet.index() < computeSets.size())
        return computeSets[program.computeSet].cycles.max().value;
    if (program.exchange.valid() && program.exchange.index() < exchanges.size())
        return exchanges[program.exchange].cycles.max().value;
    return 0;
}

std::vector<ProgramTree> programTrees(const IdVector<ProgramId, Program>& programs,
                                      const std::vector<ProgramId>& controlPrograms,
                                      const std::vector<ProgramId>& functions,
                                      const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                      const IdVector<ExchangeId, Exchange>& exchanges) {
    TreeWalk walk(programs, computeSets, exchanges);
    std::vector<ProgramTree> trees;
    for (std::size_t i = 0; i < controlPrograms.size(); ++i)
        trees.push_back(walk.walk(fmt::format("Control program {}", i), controlPrograms[i]));
    for (std::size_t i = 0; i < functions.size(); ++i)
        trees.push_back(walk.walk(fmt::format("Function {}", i), functions[i]));
    return trees;
}

} // namespace tilescope
