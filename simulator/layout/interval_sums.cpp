#include "simulator/layout/interval_sums.h"

#include <algorithm>
#include <numeric>

namespace tilescope::sim {

IntervalSums::IntervalSums(const std::vector<Interval>& intervals) {
    for (const Interval& interval : intervals)
        if (interval.size() > 0) {
            begins_.at.push_back(interval.begin);
            ends_.at.push_back(interval.end);
        }
    for (Edges* edges : {&begins_, &ends_}) {
        std::sort(edges->at.begin(), edges->at.end());
        edges->sums.resize(edges->at.size() + 1, 0);
        std::partial_sum(edges->at.begin(), edges->at.end(), edges->sums.begin() + 1);
    }
}

std::int64_t IntervalSums::Edges::below(std::int64_t limit) const {
    const auto count = std::lower_bound(at.begin(), at.end(), limit) - at.begin();
    return count * limit - sums[static_cast<std::size_t>(count)];
}

std::int64_t IntervalSums::elementsIn(Interval range) const {
    return range.size() == 0 ? 0 : below(range.end) - below(range.begin);
}

std::int64_t IntervalSums::touchedBy(Interval range) const {
    if (range.size() == 0)
        return 0;
    // Those that begin before the range's end, but for those that end before its begin.
    const auto began = std::lower_bound(begins_.at.begin(), begins_.at.end(), range.end);
    const auto ended = std::upper_bound(ends_.at.begin(), ends_.at.end(), range.begin);
    return (began - begins_.at.begin()) - (ended - ends_.at.begin());
}

} // namespace tilescope::sim
