// Damage to the content of a profile, done by SQLite itself. Part of damage.h.
#pragma once

#include <string>

#include "tests/support/damage.h"

namespace tilescope::test {

/// Changes `file` and says what was changed; leaves it alone and returns "" where SQLite cannot
/// read it or refuses the change.
std::string damageContent(std::string& file, const Draw& draw);

/// Changes names and texts of all tables, see hostileCopy(); returns what they became.
std::string renameAll(std::string& file, const Draw& draw);

} // namespace tilescope::test
