// Bodies of a trace while it is folded: each different one is kept once. Internal to core/import.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/profile/trace.h"

namespace tilescope {

/// What a program has executed so far, with times on the profile's clock.
struct OpenBody {
    TraceBody body;
    /// The last call's start of its last repetition, by IPU as in the call.
    std::vector<std::int64_t> lastStarts;
    [[nodiscard]] bool empty() const { return body.items.empty(); }
    void add(TraceStep step);
};

/// A body that is kept, and when it begins on each of its IPUs.
struct PlacedBody {
    TraceBodyId id;
    std::vector<CallOnIpu> starts; ///< by IPU, ascending
};

class TraceBodies {
public:
    explicit TraceBodies(Trace& trace)
        : trace_(trace) {}

    /// Closes a body: times count from its begin on each IPU from now on.
    PlacedBody close(OpenBody open);
    /// The same for a run: times count from the first IPU's begin, which is returned.
    std::pair<TraceBodyId, std::int64_t> closeRun(OpenBody open);
    /// Adds a call of a body. `joins`: to the call before, if it is another repetition of it.
    static void call(OpenBody& caller, ProgramId program, const PlacedBody& callee, bool joins);

private:
    TraceBodyId keep(TraceBody body);

    Trace& trace_;
    std::unordered_multimap<std::size_t, TraceBodyId> known_; ///< by hash
};

} // namespace tilescope
