// Shrinks matches whose ends cost more to copy in and out than they save.
#pragma once

#include <vector>

#include "simulator/outline/matches.h"

namespace tilescope::sim {

/// Shrinks each match, least valuable first, to the part of it with the largest sum over operations
/// of value * sqrt(bytes read) less sqrt(bytes) of each tensor that enters or leaves (popart
/// subgraph/prunematches.cpp), judged at its first place. Matches of which nothing is left
/// are dropped, and those of which only a match within them is left.
void pruneByCopyCost(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
                     std::vector<OutlineMatch>& matches);

} // namespace tilescope::sim
