#include "views/query/workers.h"

#include <algorithm>

namespace tilescope::views {

Workers::Workers(QObject* parent)
    : QObject(parent) {
    // Queries wait for the disk as well, so two cores still want more than two threads.
    pool_.setMaxThreadCount(std::max(3, QThread::idealThreadCount()));
}

Workers::~Workers() {
    pool_.waitForDone();
}

void Workers::begin() {
    ++active_;
}

void Workers::end() {
    if (--active_ == 0)
        emit becameIdle();
}

} // namespace tilescope::views
