// Consistency checks between the lists of a whole profile.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Throws DamagedProfile unless the lists agree: programs have what they run, each is reached from
/// one list of roots, and no function calls itself; steps are the leaves that run, and what these
/// access has a liveness; each tile has its memory, and addresses only of existing variables. Ids
/// themselves have been checked when reading.
void checkRelations(const Profile& profile);

} // namespace tilescope
