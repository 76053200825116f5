#include "views/query/give_way.h"

#include <sys/resource.h>

namespace tilescope::views {
namespace {

// On Linux a nice value is a thread's own, and 0 means the calling one: see setpriority(2).
bool lowerPriority() {
    constexpr int niceness = 5;
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness) == 0;
}

} // namespace

void giveWay() {
    thread_local const bool done = lowerPriority();
    (void)done; // a system that refuses only paints less smoothly
}

} // namespace tilescope::views
