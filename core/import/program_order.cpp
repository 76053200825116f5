#include "core/import/program_order.h"

#include <algorithm>

namespace tilescope {

ProgramOrder::ProgramOrder(const IdVector<ProgramId, Program>& programs)
    : first_(programs.size(), 0)
    , end_(programs.size(), 0)
    , root_(programs.size())
    , target_(programs.size()) {
    std::int32_t place = 0;
    // Not recursive: a file may nest arbitrarily deep.
    struct Open {
        ProgramId program;
        std::size_t child = 0;
    };
    std::vector<Open> open;
    const auto enter = [&](ProgramId program, ProgramId root) {
        first_[program.index()] = place++;
        root_[program.index()] = root;
        target_[program.index()] = programs[program].target;
        if (programs[program].kind == ProgramKind::Call)
            calls_.push_back(program);
        open.push_back({program});
    };
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const ProgramId root(i);
        if (programs[root].parent.valid())
            continue;
        enter(root, root);
        while (!open.empty()) {
            Open& last = open.back();
            const std::vector<ProgramId>& children = programs[last.program].children;
            if (last.child < children.size()) {
                enter(children[last.child++], root);
            } else {
                end_[last.program.index()] = place;
                open.pop_back();
            }
        }
    }
}

void ProgramOrder::setTarget(ProgramId call, ProgramId function) {
    target_[call.index()] = function;
    reach_.clear();
}

std::span<const ProgramId> ProgramOrder::callsIn(ProgramId program) const {
    const auto before = [this](ProgramId call, std::int32_t place) {
        return first_[call.index()] < place;
    };
    const auto from =
        std::lower_bound(calls_.begin(), calls_.end(), first_[program.index()], before);
    const auto to = std::lower_bound(from, calls_.end(), end_[program.index()], before);
    return {from, to};
}

const ProgramOrder::Reach& ProgramOrder::reachOf(ProgramId function) const {
    const auto found = reach_.find(function);
    if (found != reach_.end())
        return found->second;
    Reach reach{std::vector<bool>(root_.size(), false)};
    std::vector<ProgramId> open{function};
    reach.roots[function.index()] = true;
    while (!open.empty()) {
        const ProgramId at = open.back();
        open.pop_back();
        for (const ProgramId call : callsIn(at)) {
            const ProgramId to = target(call);
            reach.anything = reach.anything || !to.valid();
            if (!to.valid() || reach.roots[to.index()])
                continue;
            reach.roots[to.index()] = true;
            open.push_back(to);
        }
    }
    // A hostile file has many functions: what is known of them is not kept without end.
    constexpr std::size_t mostKept = 4096;
    if (reach_.size() >= mostKept)
        reach_.clear();
    return reach_.emplace(function, std::move(reach)).first->second;
}

bool ProgramOrder::leadsTo(ProgramId call, ProgramId function) const {
    const ProgramId to = target(call);
    if (!to.valid())
        return function != rootOf(call);
    const Reach& reach = reachOf(to);
    return reach.roots[function.index()] || (reach.anything && function != rootOf(call));
}

bool ProgramOrder::mayRun(ProgramId program, ProgramId leaf) const {
    if (first_[leaf.index()] >= first_[program.index()] &&
        first_[leaf.index()] < end_[program.index()])
        return true;
    const ProgramId function = rootOf(leaf);
    if (function == rootOf(program))
        return false; // functions do not call themselves
    const auto calls = callsIn(program);
    return std::any_of(calls.begin(), calls.end(),
                       [&](ProgramId call) { return leadsTo(call, function); });
}

} // namespace tilescope
