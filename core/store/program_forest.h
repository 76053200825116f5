// What everything that walks the program tree relies on.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Throws DamagedProfile if a parent does not exist or parents go in a circle.
void checkForest(const IdVector<ProgramId, Program>& programs);

} // namespace tilescope
