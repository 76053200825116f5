// In how many stages partial results are added up, and on which tiles.
// Decisions: PopLibs popops/reduction/ReductionPlan.cpp and ReductionStages.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Partials of a reduction that lie on tiles.
struct ReduceShape {
    std::int64_t results = 1;
    std::int64_t partials = 1; ///< elements on all tiles together
    std::int64_t columns = 1;  ///< neighbouring results that have their partials on the same tiles
    std::int64_t tiles = 1;    ///< that hold partials
    /// Tiles that hold partials of a result.
    [[nodiscard]] std::int64_t sources() const;
};

/// True if the partials are too many to be added where the results go: first they are reduced on
/// all tiles.
bool needsStage(const Target& target, const ReduceShape& shape);

/// One stage on all tiles: regions of `columns` results, `rows` partials of each.
struct ReduceStage {
    std::int64_t columns = 1, rows = 1;
    std::vector<std::int64_t> regionsOfTile; ///< regions of the n-th tile
    ReduceShape after;
};
ReduceStage spreadStage(const Target& target, ReduceFunction function, DataType type,
                        const ReduceShape& shape);

/// The tiles that results are mapped to: linearly, in grains of `grain` elements.
struct ResultSpread {
    std::int64_t tiles = 1, grain = 1;
};
ResultSpread spreadResults(const Target& target, DataType partialType, std::int64_t results);

} // namespace tilescope::sim
