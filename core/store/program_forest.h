// A property of the program tree on which everything that walks it relies.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Throws DamagedProfile if a parent does not exist or parents form a cycle.
void checkForest(const IdVector<ProgramId, Program>& programs);

} // namespace tilescope
