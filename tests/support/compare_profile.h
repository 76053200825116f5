// Compares profiles field by field.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Where two profiles differ first, such as "variables[3].bytes"; "" if they are equal.
std::string firstDifference(const Profile& a, const Profile& b);

} // namespace tilescope::test
