// Adding up the partials that several tiles hold of the same outputs, in stages.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/layout/traffic.h"

namespace tilescope::sim {

/// One stage: groups of tiles exchange partials, so that each tile adds its part of the outputs.
/// Everything in elements.
struct ReductionStage {
    Traffic traffic;
    TileSeries gathered;    ///< partials that a tile adds, its own included
    TileSeries results;     ///< sums that a tile makes
    std::int64_t depth = 1; ///< most partials that are added to one sum
};

/// Stages of the given depths. `outputs` is where the results go: a storage whose copies, the tiles
/// that hold partials of a block, share it. After the last stage each tile has just its share.
std::vector<ReductionStage> reduceInStages(const Blocking& outputs,
                                           const std::vector<std::int64_t>& depths);

} // namespace tilescope::sim
