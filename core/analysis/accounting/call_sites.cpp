#include "core/analysis/accounting/call_sites.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilescope {
namespace {

/// Far more than any real model has; functions of a damaged file may call each other in more ways
/// than fit in memory.
constexpr std::size_t mostSites = 200'000;

} // namespace

CallSites::CallSites(const IdVector<ProgramId, Program>& programs)
    : programs_(programs)
    , sites_(1)
    , next_(1) {}

CallSiteId CallSites::enter(CallSiteId from, ProgramId call) {
    if (!call.valid() || call.index() >= programs_.size())
        return from;
    const Program& program = programs_[call];
    if (program.kind != ProgramKind::Call || !program.operation.valid())
        return from;
    const auto known = next_[from.index()].find(program.operation);
    if (known != next_[from.index()].end())
        return known->second;
    if (sites_.size() >= mostSites)
        return from;
    const CallSiteId made(sites_.size());
    sites_.push_back({from, program.operation});
    next_.emplace_back();
    next_[from.index()].emplace(program.operation, made);
    return made;
}

std::vector<OperationId> CallSites::operationsOf(CallSiteId site) const {
    std::vector<OperationId> calls;
    for (; site != outside(); site = sites_[site.index()].from)
        calls.push_back(sites_[site.index()].call);
    std::reverse(calls.begin(), calls.end());
    return calls;
}

std::vector<PlacedLeaf> placedLeaves(const IdVector<ProgramId, Program>& programs,
                                     const std::vector<ProgramId>& controlPrograms,
                                     CallSites& sites) {
    std::vector<PlacedLeaf> leaves;
    std::set<std::pair<CallSiteId, ProgramId>> entered;
    // An explicit stack: a damaged file may nest deeper than the call stack allows.
    std::vector<PlacedLeaf> open;
    const auto push = [&](CallSiteId site, ProgramId program) {
        if (program.valid() && program.index() < programs.size())
            open.push_back({site, program});
    };
    for (auto root = controlPrograms.rbegin(); root != controlPrograms.rend(); ++root)
        push(CallSites::outside(), *root);
    while (!open.empty()) {
        const auto [site, id] = open.back();
        open.pop_back();
        const Program& program = programs[id];
        if (program.kind == ProgramKind::Call) {
            const CallSiteId inside = sites.enter(site, id);
            // Slots of a pipeline call a stage's function again at the same place of the model.
            if (entered.emplace(inside, program.target).second)
                push(inside, program.target);
        } else if (isControl(program.kind)) {
            for (auto child = program.children.rbegin(); child != program.children.rend(); ++child)
                push(site, *child);
        } else {
            leaves.push_back({site, id});
        }
    }
    return leaves;
}

} // namespace tilescope
