// Cycles of popops::Reduce on one tile, and how its work is shared by the workers.
// Formulas: PopLibs popops/reduction/CycleEstimationFunctions.cpp and ReductionConnection.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/target/target.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// Partials on a tile that go to the same results: `columns` neighbouring results, `rows` times
/// `inner` values for each, of which `inner` are next to each other. `count` such regions.
struct RegionReduction {
    std::int64_t columns = 1, rows = 1, inner = 1;
    std::int64_t count = 1;
    [[nodiscard]] std::int64_t results() const { return columns * count; }
    [[nodiscard]] std::int64_t inputs() const { return columns * rows * inner * count; }
    friend auto operator<=>(const RegionReduction&, const RegionReduction&) = default;
};

/// Cycles of a tile's reductions. Regions that leave workers idle are cut by rows, and those with
/// several neighbouring values per result are first reduced as if these were results of their own;
/// both need a second compute set that adds up `secondElements` on the tile.
struct OnTileReduction {
    std::int64_t cycles = 0, secondCycles = 0;
    std::int64_t secondElements = 0;
    std::int64_t vertices = 0, secondVertices = 0;
};
OnTileReduction reduceOnTile(const Target& target, ReduceFunction function, DataType in,
                             DataType out, const std::vector<RegionReduction>& regions);

/// Results that are kept together when reductions are shared out (findGrainSizeForOp).
std::int64_t reduceGrain(const Target& target, ReduceFunction function, DataType type);

/// The planners' estimate: `outputs` on a tile with `depth` partials each, shared by the workers.
std::int64_t balancedReduceCycles(const Target& target, std::int64_t outputs, std::int64_t depth,
                                  DataType type);

/// Sums and products of halves are made in float; everything else in its own type.
DataType reducePartialType(ReduceFunction function, DataType out);

/// Codelet class, "popops::Reduce<popops::ReduceADD,half,float,false,3>".
std::string reduceVertex(ReduceFunction function, DataType in, DataType out);

} // namespace tilescope::sim
