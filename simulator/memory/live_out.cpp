#include "simulator/memory/live_out.h"

#include <algorithm>

namespace tilescope::sim {

LiveOut::LiveOut(const std::vector<Timeline>& timelines)
    : uses_(timelines.size())
    , sites_(timelines.size())
    , collected_(timelines.size(), false) {
    // A value that every timeline makes before it reads it is not live-out.
    std::set<VariableId> readFirst;
    for (const Timeline& timeline : timelines)
        for (const auto& [variable, accesses] : timeline.accesses)
            if (!accesses.front().isWrite)
                readFirst.insert(variable);
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        const Timeline& timeline = timelines[i];
        loops_.push_back(timeline.loops);
        calls_.push_back(timeline.calls);
        for (const CallSite& call : timeline.calls)
            sites_[call.callee].push_back({i, call.event});
        for (const auto& [variable, accesses] : timeline.accesses) {
            if (!readFirst.contains(variable))
                continue;
            auto& uses = uses_[i][variable];
            for (const VariableUse& access : accesses)
                if (uses.empty() || uses.back().event != access.event)
                    uses.push_back({access.event, !access.isWrite});
        }
    }
    for (std::size_t i = 0; i < timelines.size(); ++i)
        collect(i);
}

void LiveOut::collect(std::size_t timeline) {
    if (collected_[timeline])
        return;
    collected_[timeline] = true;
    std::set<VariableId> touched;
    for (const CallSite& call : calls_[timeline]) {
        collect(call.callee);
        for (const auto& [variable, inside] : uses_[call.callee]) {
            uses_[timeline][variable].push_back({call.event, inside.front().reads});
            touched.insert(variable);
        }
    }
    for (const VariableId variable : touched) {
        auto& uses = uses_[timeline][variable];
        std::stable_sort(uses.begin(), uses.end(),
                         [](const Use& a, const Use& b) { return a.event < b.event; });
    }
}

bool LiveOut::isLiveOut(VariableId variable, std::size_t function) {
    if (const auto found = known_.find({variable, function}); found != known_.end())
        return found->second;
    const auto& sites = sites_[function];
    const bool result = uses_[function].contains(variable) &&
                        std::any_of(sites.begin(), sites.end(),
                                    [&](const Site& site) { return isReadAfter(variable, site); });
    known_[{variable, function}] = result;
    return result;
}

bool LiveOut::isReadAfter(VariableId variable, const Site& site) {
    const std::vector<Use>& uses = uses_[site.caller].at(variable);
    const auto firstFrom = [&](std::int32_t event) {
        return std::find_if(uses.begin(), uses.end(),
                            [&](const Use& use) { return use.event >= event; });
    };
    const auto next = firstFrom(site.event + 1);
    if (next != uses.end() && next->reads)
        return true;
    // The next round of a loop begins before what follows the loop.
    for (const Loop& loop : loops_[site.caller])
        if (loop.first <= site.event && site.event < loop.end && firstFrom(loop.first)->reads &&
            (next == uses.end() || next->event >= loop.end))
            return true;
    return next == uses.end() && site.caller != 0 && isLiveOut(variable, site.caller);
}

} // namespace tilescope::sim
