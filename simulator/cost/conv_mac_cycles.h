// Cycles of the convolve vertices other than the matrix product's (PopLibs
// poplin/PerformanceEstimation.hpp). Internal to conv_cycles.
#pragma once

#include <cstdint>

#include "core/target/target.h"
#include "simulator/cost/conv_work.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// ConvPartial1xNSLIC with 2 or 4 chains of units and a window of four.
std::int64_t slicCycles(const Target& target, std::int32_t chains, const ConvGrains& grains,
                        const ConvTileSizes& sizes, DataType partialType);
/// ConvPartialHorizontalMac.
std::int64_t hmacCycles(const Target& target, const ConvGrains& grains, const ConvTileSizes& sizes,
                        DataType inType, DataType partialType);
/// ConvPartialVerticalMac.
std::int64_t vmacCycles(const Target& target, const ConvGrains& grains, const ConvTileSizes& sizes,
                        DataType partialType);
/// OuterProduct.
std::int64_t outerProductCycles(const Target& target, const ConvGrains& grains,
                                const ConvTileSizes& sizes, DataType inType);

// Lower bounds of the above for each multiply-accumulate.
double leastSlicCyclesPerMac(std::int32_t chains, const ConvGrains& grains);
double leastHmacCyclesPerMac(const ConvGrains& grains, DataType inType, DataType partialType);
double leastVmacCyclesPerMac(const ConvGrains& grains);
double leastOuterProductCyclesPerMac(const ConvGrains& grains, DataType inType);

} // namespace tilescope::sim
