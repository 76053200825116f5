// Adding up the partials that several tiles hold of the same outputs, in stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/layout/traffic.h"
#include "simulator/lowering/operations/conv_tiling.h"
#include "simulator/lowering/program/builder.h"

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

/// Casts partials of which nothing is added up to the type of the result. Returns what they were
/// cast to: `output`, or a variable of one step in a loop over slices.
VariableId castPartials(ProgramBuilder& builder, const ConvPlan& plan, const ConvTiling& tiling,
                        const std::string& prefix, VariableId partials, VariableId output);

} // namespace tilescope::sim
