// Invariants of every profile, whatever the model.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::test {

/// A line for each rule that a profile breaks; only the first few of each kind.
std::vector<std::string> brokenInvariants(const Profile& profile);

/// The same as one text, for QVERIFY2; empty if all holds.
std::string complaints(const Profile& profile);

} // namespace tilescope::test
