#include "simulator/lowering/operations/conv_regions.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/layout/tile_walk.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {
namespace {

/// How one dimension is cut in regions.
struct Cut {
    std::vector<std::int64_t> pieces; ///< of each block
    std::int64_t least = 0;           ///< indices of the smallest
};

/// None if a region would have elements that are not there.
std::optional<Cut> cutOf(const BlockedDim& dim, const std::vector<RegionDim>& regions) {
    const auto region = std::find_if(regions.begin(), regions.end(), [&](const RegionDim& one) {
        return !dim.atoms.empty() && one.atoms == dim.atoms;
    });
    Cut cut;
    for (const Interval& block : dim.blocks) {
        const std::int64_t size = region == regions.end() ? block.size() : region->grain;
        if (region != regions.end() && block.size() % size != 0)
            return std::nullopt;
        cut.pieces.push_back(region == regions.end() ? 1 : block.size() / size);
        cut.least = cut.pieces.size() == 1 ? size : std::min(cut.least, size);
    }
    return cut;
}

/// The largest part of a block that a tile has.
std::int64_t largestShare(const Blocking& held) {
    const std::int64_t grain = held.sharing.grain;
    return ceilDiv(ceilDiv(held.largestBlock(), grain), held.copyCount()) * grain;
}

/// Whether a dimension is cut in the same blocks over the same tiles. Digits of one value say
/// nothing.
bool isSameCut(const BlockedDim& a, const BlockedDim& b) {
    const auto digits = [](const BlockedDim& dim) {
        std::vector<TileDigit> kept;
        std::copy_if(dim.digits.begin(), dim.digits.end(), std::back_inserter(kept),
                     [](const TileDigit& digit) { return digit.count > 1; });
        return kept;
    };
    return a.atoms == b.atoms && a.blocks == b.blocks && digits(a) == digits(b);
}

} // namespace

std::vector<RegionDim> inputRegions(const ConvAtoms& atoms, const ConvGrains& grains) {
    return {{atoms.groups, grains.groups}, {atoms.inChans, grains.inChans}};
}

std::vector<RegionDim> weightRegions(const ConvAtoms& atoms, const ConvGrains& grains) {
    return {{atoms.groups, grains.groups},
            {atoms.outChans, grains.outChans},
            {atoms.inChans, grains.inChans}};
}

TileSeries wholeRegions(const Storage& stored, const Blocking& needed,
                        const std::vector<OrderLevel>& wantedOrder,
                        const std::vector<RegionDim>& regions) {
    const Blocking& held = stored.layout.blocking;
    const std::int64_t sharers = held.copyCount();
    if (!held.copiesShare || sharers < 2 || held.sharing.slices > 1 || held.sharing.least > 1 ||
        stored.layout.order != wantedOrder ||
        !std::equal(held.dims.begin(), held.dims.end(), needed.dims.begin(), needed.dims.end(),
                    isSameCut))
        return {};
    std::vector<Cut> cuts;
    std::int64_t least = 1;
    for (const BlockedDim& dim : needed.dims) {
        std::optional<Cut> cut = cutOf(dim, regions);
        if (!cut)
            return {};
        least *= cut->least;
        cuts.push_back(*std::move(cut));
    }
    if (largestShare(held) < least)
        return {};
    TileWalk walk(held);
    DenseTiles whole(walk);
    for (; !walk.done(); walk.next()) {
        const std::int64_t share = walk.share();
        std::int64_t count = 1;
        for (std::size_t d = 0; d < cuts.size(); ++d)
            count *= cuts[d].pieces[static_cast<std::size_t>(walk.index()[d])];
        const std::int64_t region = count > 0 ? walk.block() / count : 0;
        if (region == 0 || share < region)
            continue;
        const Interval range = held.sharing.range(walk.block(), walk.copy(), sharers);
        const std::int64_t first = ceilDiv(range.begin, region);
        whole.set(walk.tile(), std::max<std::int64_t>(0, range.end / region - first) * region);
    }
    return whole.series();
}

bool leaveWholeRegions(const PlacedStorage& placed, const Blocking& needed,
                       const std::vector<RegionDim>& regions, OperandMove& move) {
    if (move.strided() || move.traffic.total == 0)
        return false;
    const TileSeries whole = wholeRegions(placed.storage, needed, move.wantedOrder, regions);
    move.bytes = move.bytes - whole.scaled(placed.storage.elementBytes);
    return !whole.empty();
}

} // namespace tilescope::sim
