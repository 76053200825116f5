#include "views/query/give_way.h"

#include <algorithm>
#include <sched.h>
#include <sys/resource.h>

namespace tilescope::views {
namespace {

constexpr int niceness = 10; // a tenth of the window's share where both want a core: see sched(7)

// On Linux a nice value is a thread's own, and 0 means the calling one: see setpriority(2).
bool raiseNiceness() {
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness) == 0;
}

// Where the program was started in a real-time class (chrt), a nice value means nothing.
bool lowerPriority(int policy) {
    sched_param parameter{};
    if (sched_getparam(0, &parameter) != 0)
        return false;
    parameter.sched_priority =
        std::max(sched_get_priority_min(policy), parameter.sched_priority - 1);
    return sched_setparam(0, &parameter) == 0;
}

bool giveWayOnce() {
    const int policy = sched_getscheduler(0);
    return policy == SCHED_RR || policy == SCHED_FIFO ? lowerPriority(policy) : raiseNiceness();
}

} // namespace

void giveWay() {
    thread_local const bool done = giveWayOnce();
    (void)done; // a system that refuses only paints less smoothly
}

} // namespace tilescope::views
