// Which tiles compute.
#pragma once

#include "core/options/run_options.h"

namespace tilescope::sim {

/// The options as the planner and the lowering of operations see them: with those tiles of an IPU
/// that are not set aside for transfers with the host. These are the last ones (*assumed*:
/// Graphcore's gcl::perIPUTiles chooses them; its choice is not public).
inline RunOptions onComputeTiles(RunOptions options) {
    options.target.tilesPerIpu -= options.ioTiles;
    return options;
}

} // namespace tilescope::sim
