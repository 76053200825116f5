// The sequence of events of the control programs and of each function. Internal to liveness.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// A use at an event of a timeline.
struct VariableUse {
    std::int32_t event = 0;
    bool isWrite = false;
    bool kills = false; ///< nothing of the old value is left
    /// A function called here writes it, and the value may or may not be read after the call.
    bool mayBeDead = false;
};
/// In the order of events; reads of an event before its writes.
using VariableUses = std::vector<VariableUse>;

/// Events [first, end) of a loop's body.
struct Loop {
    std::int32_t first = 0, end = 0;
};

struct CallSite {
    std::int32_t event = 0;
    std::size_t callee = 0; ///< index of a timeline
    ProgramId program;
};

/// The events of the control programs, or of a function, in order: steps and calls.
struct Timeline {
    /// By event, the first step at or after it; one entry more for the end.
    std::vector<std::int32_t> stepAt;
    std::vector<Loop> loops; ///< inner loops before those around them
    std::vector<CallSite> calls;
    std::map<VariableId, VariableUses> accesses;
    bool finished = false;

    [[nodiscard]] std::int32_t events() const { return static_cast<std::int32_t>(stepAt.size()); }
};

} // namespace tilescope::sim
