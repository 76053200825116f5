// Which tiles compute.
#pragma once

#include "core/options/machine_options.h"

namespace tilescope::sim {

/// The machine for the planner and the lowering of operations: only the tiles of each IPU that are
/// not set aside for transfers with the host. Those are the last ones (*assumed*: Graphcore's
/// gcl::perIPUTiles chooses them; its choice is not public).
inline Target computeTarget(const MachineOptions& machine) {
    Target target = machine.target;
    target.tilesPerIpu -= machine.ioTiles;
    return target;
}

} // namespace tilescope::sim
