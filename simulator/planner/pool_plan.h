// How a pooling, or its gradient, is cut over the tiles of an IPU.
// Decisions: PopLibs popnn/PoolPlan.cpp and Pooling.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"
#include "simulator/cost/pool_cycles.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// A pooling as the planner sees it. For a gradient the field is that of the pooling as a
/// convolution with zeros between its inputs (FieldDim::inDilation).
struct PoolProblem {
    PoolKind kind = PoolKind::Max;
    bool gradient = false;
    DataType type = DataType::Half;
    std::int64_t batch = 1, channels = 1;
    std::vector<FieldDim> field;
    std::int64_t storedGroup = 1; ///< neighbouring channels of the operand that lie together

    /// Rows of the field are all alike: windows neither overlap nor reach over the edge. Then all
    /// results make one row, which workers share evenly.
    [[nodiscard]] bool isFlat() const;
};

/// Channels of one group, and the elements of other dimensions that fill a vector where there are
/// fewer channels than it has room for.
struct PoolGroup {
    std::int64_t channels = 1;
    std::int64_t inner = 1; ///< of the innermost field dimension
    std::int64_t batch = 1;
    [[nodiscard]] std::int64_t elements() const { return channels * inner * batch; }
};

struct PoolPlan {
    PoolProblem problem;
    PoolGroup group;
    /// Parts of each dimension of the result [N, C, field...], and the units that it is cut in.
    std::vector<std::int64_t> splits, grains;
    std::int64_t computeCycles = 0, exchangeCycles = 0, rearrangeCycles = 0;

    [[nodiscard]] std::int64_t cycles() const {
        return computeCycles + exchangeCycles + rearrangeCycles;
    }
    /// What the vertex of a tile with `batch` and `channels` computes with.
    [[nodiscard]] PoolVertex vertexOf(std::int64_t batch, std::int64_t channels) const;
};

/// The partition of fewest cycles: vertices, what a tile receives, and a penalty for channels in
/// other groups than those in which they lie. One in groups that suit other operations is preferred
/// if it takes less than a third more.
PoolPlan planPool(const Target& target, const PoolProblem& problem);

} // namespace tilescope::sim
