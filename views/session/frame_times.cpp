#include "views/session/frame_times.h"

#include <algorithm>

namespace tilescope::views {

void FrameTimes::record(double milliseconds) {
    last_ = milliseconds;
    longest_ = std::max(longest_, milliseconds);
    sum_ += milliseconds;
    ++frames_;
    slow_ += milliseconds > budgetMs ? 1 : 0;
    emit recorded();
}

void FrameTimes::reset() {
    last_ = longest_ = sum_ = 0;
    frames_ = slow_ = 0;
    emit recorded();
}

QString FrameTimes::summary() const {
    return tr("frames %1, mean %2 ms, longest %3 ms, over %4 ms: %5")
        .arg(frames_)
        .arg(mean(), 0, 'f', 2)
        .arg(longest_, 0, 'f', 2)
        .arg(budgetMs, 0, 'f', 0)
        .arg(slow_);
}

} // namespace tilescope::views
