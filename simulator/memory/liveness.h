// Which steps each variable is live over.
#pragma once

#include <set>
#include <utility>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Fills profile.steps, the liveness classes, and the class of every variable that is not always
/// live. Steps are the leaves of the control programs, depth first, with those of a function at
/// each of its calls: what lives across one call is not live across another, so that the two may
/// share addresses (the original, too, keeps interference apart from steps; pva,
/// equivalenceClassInterference). Functions that a pipeline's slots call are placed once, after the
/// others; what is live across one of their calls is live over their steps. A variable is live from
/// its first to its last access; one that is used both inside and outside of a loop, or read in a
/// loop before it is written there, is live over the whole loop. A value that is not accessed
/// outside of a function ends with the call. `kills`: steps that write a variable anew, where its
/// previous life has ended with the last read. `readLater`: variables read by a program of the
/// engine that is not run here.
void analyseLiveness(Profile& profile, const std::set<std::pair<ProgramId, VariableId>>& kills = {},
                     const std::set<VariableId>& readLater = {});

} // namespace tilescope::sim
