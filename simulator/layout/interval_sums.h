// Sums over many intervals, for queries of many ranges.
#pragma once

#include <vector>

#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// Intersection of a set of intervals, which may overlap, with a range. Begins and ends are sorted
/// separately, with sums: each query takes a few binary searches, since an interval has
/// max(0, x - begin) - max(0, x - end) elements below x.
class IntervalSums {
public:
    explicit IntervalSums(const std::vector<Interval>& intervals);
    /// Elements of all intervals that lie in a range, each counted once per interval.
    [[nodiscard]] std::int64_t elementsIn(Interval range) const;
    /// Intervals that have an element in a range.
    [[nodiscard]] std::int64_t touchedBy(Interval range) const;

private:
    struct Edges {
        std::vector<std::int64_t> at;   ///< sorted
        std::vector<std::int64_t> sums; ///< of the first n
        /// Sum of max(0, limit - edge).
        [[nodiscard]] std::int64_t below(std::int64_t limit) const;
    };
    [[nodiscard]] std::int64_t below(std::int64_t limit) const {
        return begins_.below(limit) - ends_.below(limit);
    }

    Edges begins_, ends_;
};

} // namespace tilescope::sim
