// Cycles of convolution and reduction vertices on one tile: pure functions of sizes, shared by the
// planner and the timing. Formulas: PopLibs poplin/PerformanceEstimation.hpp and
// poplin/poplinCycleEstimators.cpp; counts are supervisor cycles.
#pragma once

#include <cstdint>

#include "core/target/target.h"
#include "simulator/cost/conv_work.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Everything the convolve vertex of a plan does on a tile in one serial step. `convUnits`: AMP
/// units, or chains of units for SLIC.
std::int64_t convolveCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType);

/// Adding `depth` partials for each of `outputs` elements on a tile (ReduceAdd).
std::int64_t reduceAddCycles(const Target& target, std::int64_t outputs, std::int64_t depth,
                             DataType partialType, DataType outType);

/// AMP units that a tile has for these types.
std::int32_t unitsOf(const Target& target, DataType inType, DataType partialType);

/// Kernel rows that AMP vertices take in one pass: as many as fill the weights of the units with a
/// group's input channels. A kernel is padded to a multiple of them.
std::int64_t filterHeightOf(const Target& target, std::int32_t convUnits, const ConvGrains& grains,
                            DataType inType, DataType partialType);

/// Whether AMP multiplies with ConvPartial1x1Out on a tile, not with ConvPartialnx1.
bool takesOneByOne(const Target& target, std::int32_t convUnits, const ConvGrains& grains,
                   const ConvTileSizes& sizes, DataType inType, DataType partialType);

/// Passes over a kernel's positions on a tile, each with lists of work of its own.
std::int64_t kernelPassesOf(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType);

/// Terms that add up to a lower bound of convolveCycles(): for each multiply-accumulate and each
/// weight on a tile, those on padding included.
struct LeastConvCycles {
    double perMac = 0, perWeight = 0;
};
/// Where ConvPartialnx1 takes one kernel row a pass. `dilated`: positions may read no input.
LeastConvCycles leastConvCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                                const ConvGrains& grains, DataType inType, DataType partialType,
                                bool dilated);

/// Multiply-accumulates a tile can do a cycle at best, as PopLibs orders methods by.
std::int64_t maxMacsPerCycle(const Target& target, ConvMethod method, std::int32_t convUnits,
                             const ConvGrains& grains, DataType inType);

} // namespace tilescope::sim
