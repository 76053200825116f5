// What the lists of a whole profile must say of each other.
#pragma once

#include "core/profile/profile.h"

namespace tilescope {

/// Throws DamagedProfile unless each list has what others point to: programs have what they run,
/// each is reached from one list of roots, and no function calls itself; steps are the leaves that
/// run, and what these access has a life; each tile has its memory and addresses of variables that
/// there are. Ids themselves have been checked by reading.
void checkRelations(const Profile& profile);

} // namespace tilescope
