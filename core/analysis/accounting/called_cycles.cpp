#include "core/analysis/accounting/called_cycles.h"

#include <set>

namespace tilescope {

std::map<std::pair<std::string, IpuId>, CalledCycles>
calledCycles(const ProfileView& profile, const Accounting& accounting, const SourceNames& names,
             SourceGrain grain, SourceReach reach, const std::stop_token& stop) {
    std::map<std::pair<std::string, IpuId>, CalledCycles> called;
    for (const CostRow& stack : costRows(profile, accounting, CostLayer::Stack, 1, stop, reach)) {
        if (!stack.source.valid())
            continue;
        std::set<std::string> seen;
        for (const SourceFrameId frame : names.stackOf(stack.source)) {
            std::string name = names.name(frame, grain);
            if (!seen.insert(name).second)
                continue;
            CalledCycles& of =
                called.try_emplace({std::move(name), stack.ipu}, CalledCycles{frame}).first->second;
            of.cycles += stack.measuredCycles;
        }
    }
    return called;
}

} // namespace tilescope
