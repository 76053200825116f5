#include "views/query/workers.h"

#include <algorithm>
#include <sys/resource.h>

namespace tilescope::views {

Workers::Workers(QObject* parent)
    : QObject(parent) {
    // Queries wait for the disk as well, so two cores still want more than two threads.
    pool_.setMaxThreadCount(std::max(3, QThread::idealThreadCount()));
}

Workers::~Workers() {
    pool_.waitForDone();
}

void Workers::giveWay() {
    // On Linux a nice value is a thread's own, and 0 means the calling one: see setpriority(2).
    constexpr int niceness = 5;
    thread_local const bool done = setpriority(PRIO_PROCESS, 0, niceness) == 0;
    (void)done; // a system that refuses only paints less smoothly
}

void Workers::begin() {
    ++active_;
}

void Workers::end() {
    if (--active_ == 0)
        emit becameIdle();
}

} // namespace tilescope::views
