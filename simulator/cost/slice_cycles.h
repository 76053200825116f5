// Cycles of the vertices that look rows of a table up and add to them, on one tile.
// Formulas: PopLibs popops/PerformanceEstimation.cpp; supervisor cycles.
#pragma once

#include <cstdint>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Looks up `indices` rows of `rowElements` on a tile (MultiSlice), the indices spread over the
/// workers. `inRange`: the part of them whose rows the tile holds; the others are skipped. The
/// vertex's own estimate takes all to be in range, the planner those that it expects.
std::int64_t multiSliceCycles(const Target& target, std::int64_t indices, std::int64_t rowElements,
                              double inRange = 1);

/// Adds `indices` rows of `rowElements` to rows of a tile's part of a table (MultiUpdateAdd). Each
/// worker has a part of the rows and reads every index. As the vertex's own estimate, the default
/// takes all indices to be in the range of one worker.
std::int64_t multiUpdateCycles(const Target& target, std::int64_t indices, std::int64_t rowElements,
                               DataType type, double inRange = 1);

/// Sets `elements` to zero (popops::Fill, a region for each worker).
std::int64_t fillCycles(const Target& target, std::int64_t elements, DataType type);

/// Dynamic slice or update of `elements` contiguous elements (DynamicSlice1D).
std::int64_t dynamicSliceCycles(const Target& target, std::int64_t elements, DataType type);

} // namespace tilescope::sim
