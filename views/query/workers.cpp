#include "views/query/workers.h"

#include <algorithm>
#include <malloc.h>

#include "core/base/thread_edges.h"

namespace tilescope::views {
namespace {
constexpr int mostArenas = 2; // of glibc's malloc: see mallopt(3)
constexpr char queue = 0;     // represents the pool's queue, where tasks are handed over
} // namespace

Workers::Workers(QObject* parent)
    : QObject(parent) {
    // Queries also wait for the disk, so two cores need more than two threads.
    pool_.setMaxThreadCount(std::max(3, QThread::idealThreadCount()));
    // Otherwise each thread that ever ran keeps memory which the others cannot use: a sixth of the
    // total with a large profile, see tests/bench/scale_bench.cpp.
    mallopt(M_ARENA_MAX, mostArenas);
}

Workers::~Workers() {
    pool_.waitForDone();
}

void Workers::start(std::function<void()> task) {
    std::function<void()> handed = [task = std::move(task)] {
        takeOver(&queue);
        task();
    };
    handOver(&queue);
    pool_.start(std::move(handed));
}

void Workers::end() {
    if (--active_ == 0)
        emit becameIdle();
}

} // namespace tilescope::views
