// Cycles of convolution and reduction vertices on one tile: pure functions of sizes, shared by the
// planner and the timing. Formulas: PopLibs poplin/PerformanceEstimation.hpp and
// poplin/poplinCycleEstimators.cpp; counts are supervisor cycles.
#pragma once

#include <cstdint>

#include "core/target/target.h"
#include "simulator/cost/conv_work.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Everything the convolve vertex of a plan does on a tile in one serial step.
std::int64_t convolveCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType);

/// Adding `depth` partials for each of `outputs` elements on a tile (ReduceAdd).
std::int64_t reduceAddCycles(const Target& target, std::int64_t outputs, std::int64_t depth,
                             DataType partialType, DataType outType);

/// Cast of `elements` on a tile by six workers (Cast1D).
std::int64_t castCycles(const Target& target, std::int64_t elements, DataType from, DataType to);

/// Exchange of `bytes` received by a tile; `shared` if its neighbour receives the same.
std::int64_t exchangeCycles(const Target& target, std::int64_t bytes, bool shared = false);

/// Multiply-accumulates a tile can do a cycle with a method: an upper bound for pruning.
std::int64_t maxMacsPerCycle(const Target& target, ConvMethod method, std::int32_t convUnits,
                             const ConvGrains& grains, DataType inType);

/// Dynamic slice or update of `elements` contiguous elements (DynamicSlice1D).
std::int64_t dynamicSliceCycles(const Target& target, std::int64_t elements, DataType type);

} // namespace tilescope::sim
