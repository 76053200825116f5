// Which values of a function's variables are read after its calls. Internal to liveness.
#pragma once

#include <set>
#include <utility>

#include "simulator/memory/timeline.h"

namespace tilescope::sim {

/// Follows a variable from a call through its caller's events and loops, and on after the calls of
/// the caller, to the next use: a value is live-out if some path ends at a read. A use that writes
/// before it reads is taken to make the value anew.
class LiveOut {
public:
    /// Of timelines whose accesses are those of their own steps (the first is the control
    /// programs'); they are only read here.
    explicit LiveOut(const std::vector<Timeline>& timelines);

    /// True if code after a call of the function may read the value that it leaves.
    [[nodiscard]] bool isLiveOut(VariableId variable, std::size_t function);

private:
    /// The first thing that happens to a variable at an event.
    struct Use {
        std::int32_t event = 0;
        bool reads = false;
    };
    struct Site {
        std::size_t caller = 0;
        std::int32_t event = 0;
    };

    void collect(std::size_t timeline);
    [[nodiscard]] bool isReadAfter(VariableId variable, const Site& site);

    std::vector<std::vector<Loop>> loops_;     ///< by timeline
    std::vector<std::vector<CallSite>> calls_; ///< by timeline
    std::vector<std::map<VariableId, std::vector<Use>>> uses_;
    std::vector<std::vector<Site>> sites_; ///< where each timeline is called
    std::vector<bool> collected_;
    std::map<std::pair<VariableId, std::size_t>, bool> known_;
};

} // namespace tilescope::sim
