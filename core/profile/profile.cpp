#include "core/profile/profile.h"

#include <algorithm>

namespace tilescope {

bool LivenessClass::contains(StepId step) const {
    const auto after = std::upper_bound(
        intervals.begin(), intervals.end(), step,
        [](StepId wanted, const StepInterval& interval) { return wanted < interval.first; });
    return after != intervals.begin() && step < std::prev(after)->end;
}

bool LivenessClass::overlaps(const LivenessClass& other) const {
    auto mine = intervals.begin();
    auto theirs = other.intervals.begin();
    while (mine != intervals.end() && theirs != other.intervals.end()) {
        if (mine->first < theirs->end && theirs->first < mine->end)
            return true;
        if (mine->end < theirs->end)
            ++mine;
        else
            ++theirs;
    }
    return false;
}

} // namespace tilescope
