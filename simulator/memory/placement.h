// Addresses of variables on every tile.
#pragma once

#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Gives every variable an address on every tile it lies on and fills placements, placementOfTile,
/// tileMemory and categoryMemory of the profile. Variables that are never live together may share
/// addresses; variables to be kept apart share no memory element. Executable code lies in the
/// non-interleaved region only; interleaved memory is preferred by variables that request it;
/// variables without room lie beyond the tile's memory (overflowed). Tiles with equal lists of
/// variables and sizes share one placement.
void placeVariables(LoweredProgram& lowered, const Target& target);

} // namespace tilescope::sim
