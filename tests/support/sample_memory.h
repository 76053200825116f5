// Gives the variables of a sample profile addresses, and sums up what follows from them.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::test {

/// Fills placements, placementOfTile, tileMemory and categoryMemory from variables, liveness and
/// target: always-live variables from offset 0 (16-aligned, so that
/// there are gaps), weights from the interleaved region on, the others first fit.
void placeVariables(Profile& profile);

} // namespace tilescope::test
