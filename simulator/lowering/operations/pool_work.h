// What the pooling vertex of each tile does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/layout/blocking.h"
#include "simulator/planner/pool_plan.h"

namespace tilescope::sim {

/// By tile, for a result that is cut in [N, C, field...]. The rows of a tile and the positions of
/// the kernel that meet the input in each are those of PopLibs popnn/PoolVertices.cpp,
/// generateVertices: at an edge, or in the gradient of a stride, only some do.
class PoolWork {
public:
    PoolWork(const Target& target, const PoolPlan& plan, const Blocking& result);

    [[nodiscard]] const TileSeries& cycles() const { return cycles_; }
    /// Constants of a tile: rows that are alike share a list.
    [[nodiscard]] const TileSeries& worklistBytes() const { return worklistBytes_; }
    /// Descriptors of the lists in the vertex.
    [[nodiscard]] const TileSeries& listBytes() const { return listBytes_; }
    /// Equal where the constants are.
    [[nodiscard]] const std::string& content() const { return content_; }

private:
    TileSeries cycles_, worklistBytes_, listBytes_;
    std::string content_;
};

} // namespace tilescope::sim
