#include "core/live/live_steps.h"

namespace tilescope {

EnteredBody LiveSteps::enter(const TraceRun& run) const {
    return {run.body, order_.baseOf(lanes_.outline().bodies[run.body].program)};
}

EnteredBody LiveSteps::enter(const EnteredBody& from, const LaneEntry& call) const {
    const TraceCall& of = *lanes_.callOf(from.body, call);
    return {of.callee, order_.inside(from.base, of.program)};
}

bool LiveSteps::hasBytes(const EnteredBody& at) {
    if (const auto known = hasBytes_.find(at); known != hasBytes_.end())
        return known->second;
    LaneCursor& cursor = cursorOf(at.body);
    bool found = false;
    for (std::size_t i = 0; i < cursor.lane().count && !found; ++i) {
        const LaneEntry entry = cursor.at(i);
        if (entry.begin < entry.end)
            found = entry.call < 0 ? bytesOf(at, entry).has_value() : hasBytes(enter(at, entry));
    }
    return hasBytes_[at] = found;
}

void LiveSteps::forgetPages() {
    for (auto& [body, cursor] : cursors_)
        cursor.forget();
}

} // namespace tilescope
