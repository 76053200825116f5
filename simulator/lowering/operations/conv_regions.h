// The regions of an operand that the vertices of a convolution read, and which of them a tile has.
#pragma once

#include <vector>

#include "simulator/layout/layout.h"
#include "simulator/lowering/operations/conv_tiling.h"

namespace tilescope::sim {

struct OperandMove;
struct PlacedStorage;

/// Dimensions whose groups a vertex has a pointer each for: one region of a vertex is one group of
/// each of them, with all else that the tile needs. Regions follow each other on a tile.
struct RegionDim {
    const std::vector<int>& atoms;
    std::int64_t grain = 1;
};
std::vector<RegionDim> inputRegions(const ConvAtoms& atoms, const ConvGrains& grains);
std::vector<RegionDim> weightRegions(const ConvAtoms& atoms, const ConvGrains& grains);

/// Elements that a tile holds in whole regions of what it needs, where tiles that need the same
/// block share it in the vertices' order. A vertex reads such a region where it is; all others are
/// put together, own elements included, since a region has to be contiguous.
TileSeries wholeRegions(const Storage& stored, const Blocking& needed,
                        const std::vector<OrderLevel>& wantedOrder,
                        const std::vector<RegionDim>& regions);

/// Takes these regions out of what is brought to each tile. True if there are any.
bool leaveWholeRegions(const PlacedStorage& placed, const Blocking& needed,
                       const std::vector<RegionDim>& regions, OperandMove& move);

} // namespace tilescope::sim
