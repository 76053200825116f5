// Compares profiles field by field.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Where two profiles differ first, such as "variables[3].bytes"; "" if they are equal.
std::string firstDifference(const Profile& a, const Profile& b);

/// Without what no two runs have in common, when they were and how long the host took; which phases
/// there were stays.
Profile withoutTimes(Profile profile);

} // namespace tilescope::test
