#include "simulator/lowering/operations/reduce_work.h"

#include <algorithm>
#include <limits>

namespace tilescope::sim {

ReduceWorkList::ReduceWorkList(const Target& target, ReduceFunction function, DataType from,
                               DataType to)
    : target_(target)
    , function_(function)
    , from_(from)
    , to_(to) {
    work_.columns = std::numeric_limits<std::int64_t>::max();
}

void ReduceWorkList::add(std::int32_t tile, const TileReductions& reductions) {
    auto known = known_.find(reductions.regions);
    if (known == known_.end())
        known = known_
                    .emplace(reductions.regions,
                             reduceOnTile(target_, function_, from_, to_, reductions.regions))
                    .first;
    for (const RegionReduction& region : reductions.regions) {
        work_.columns = std::min(work_.columns, region.columns);
        work_.reduces = work_.reduces || region.rows * region.inner > 1;
    }
    const OnTileReduction& reduction = known->second;
    work_.results.append(tile, tile + 1, reductions.results());
    work_.rotated.append(tile, tile + 1, reductions.rotated);
    work_.cycles.append(tile, tile + 1, reduction.cycles);
    work_.vertices.append(tile, tile + 1, reduction.vertices);
    work_.secondCycles.append(tile, tile + 1, reduction.secondCycles);
    work_.secondVertices.append(tile, tile + 1, reduction.secondVertices);
    work_.secondElements.append(tile, tile + 1, reduction.secondElements);
}

ReduceWork ReduceWorkList::take() {
    return std::move(work_);
}

} // namespace tilescope::sim
