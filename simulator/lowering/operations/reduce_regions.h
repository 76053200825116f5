// Which results the elements of each tile go to when a tensor that lies in runs is reduced.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/cost/reduce_cycles.h"
#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// The dimensions of a reduced tensor in the order of its elements, neighbours of one kind taken
/// together: inner reduced, then kept, then reduced, then anything above.
struct ReduceLevels {
    std::int64_t inner = 1;     ///< reduced elements next to each other
    std::int64_t columns = 1;   ///< kept ones around them
    std::int64_t rows = 1;      ///< reduced ones around those
    std::int64_t keptAbove = 1; ///< kept ones right above: groups with results of their own
    [[nodiscard]] std::int64_t group() const { return inner * columns * rows; }
};
/// `sizes` and `reduced` from the outermost dimension to the innermost.
ReduceLevels reduceLevels(const std::vector<std::int64_t>& sizes, const std::vector<bool>& reduced);

/// The reductions of one tile, and the part of their results that has to be reordered afterwards.
struct TileReductions {
    std::vector<RegionReduction> regions;
    /// Results of regions that begin in the middle of a row where other tiles' do not: the vertex
    /// writes them in the order of the elements, a copy reorders them as the results.
    std::int64_t rotated = 0;
    [[nodiscard]] std::int64_t results() const;
};

/// Walks the runs of elements [begin, end) that tiles hold, in the order of tiles.
class ReduceRegions {
public:
    explicit ReduceRegions(const ReduceLevels& levels)
        : levels_(levels) {}
    TileReductions next(Interval run);

private:
    /// The part [lo, hi) of a group.
    void addPart(TileReductions& tile, std::int64_t group, std::int64_t lo, std::int64_t hi);
    void addUnaligned(TileReductions& tile, std::int64_t elements) const;
    void addWhole(TileReductions& tile, std::int64_t groups) const;

    ReduceLevels levels_;
    std::map<std::int64_t, std::int64_t> firstColumn_; ///< by group, of its first whole region
};

} // namespace tilescope::sim
