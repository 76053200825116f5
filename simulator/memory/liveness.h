// Which steps each variable is live over.
#pragma once

#include <set>
#include <utility>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Fills profile.steps (leaves of the control programs and functions, depth first), the liveness
/// classes, and the class of every variable that is not always live. A variable is live from its
/// first to its last access; one that is used both inside and outside of a loop, or read in a loop
/// before it is written there, is live over the whole loop; one that is live across a call is live
/// over the function's steps.
/// `rewrites`: steps that write a variable anew, where its life before has ended with the last read.
void analyseLiveness(Profile& profile,
                     const std::set<std::pair<ProgramId, VariableId>>& rewrites = {});

} // namespace tilescope::sim
