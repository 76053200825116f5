// An activation [N, C, spatial...] cut over tiles for operations that have no planner of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/target/target.h"
#include "simulator/layout/layout.h"

namespace tilescope::sim {

/// Parts of each dimension of a grid; their product is at most the number of tiles.
using GridSplit = std::vector<std::int64_t>;

/// The split with the least cost. `grains[d]` is the unit in which dimension d is cut.
GridSplit bestGridSplit(const Shape& shape, const std::vector<std::int64_t>& grains,
                        std::int64_t tiles,
                        const std::function<double(const std::vector<std::int64_t>& block)>& cost);

/// A storage of the shape cut so: the last dimension varies fastest over tiles, but channels
/// (dimension 1) before all. Channel groups of up to `channelGroup` are innermost on a tile.
Storage gridStorage(const Shape& shape, const GridSplit& split,
                    const std::vector<std::int64_t>& grains, std::int64_t elementBytes,
                    std::int64_t channelGroup);

/// Channel group of an activation: the largest of 16, 8, 4, 2 that divides its channels.
std::int64_t channelGroupOf(std::int64_t channels);

/// A storage for a result that is only copied together: channel groups innermost and cut over all
/// tiles for [N, C, spatial...], linear for anything else.
Storage activationStorage(const Target& target, const Shape& shape, std::int64_t elementBytes);

} // namespace tilescope::sim
