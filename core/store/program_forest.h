// A property of the program tree on which everything that walks it relies.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Throws DamagedProfile if a parent does not exist or parents form a cycle.
void checkForest(const IdVector<ProgramId, Program>& programs);

/// Throws DamagedProfile if a program runs itself, as a child or through calls: whoever follows the
/// calls would not end. The programs are a forest.
void checkCalls(const IdVector<ProgramId, Program>& programs);

} // namespace tilescope
