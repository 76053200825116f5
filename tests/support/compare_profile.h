// Compares profiles field by field.
#pragma once

#include <filesystem>
#include <string>

#include "core/profile/profile.h"

namespace tilescope::test {

/// Where two profiles differ first, such as "variables[3].bytes"; "" if they are equal.
std::string firstDifference(const Profile& a, const Profile& b);

/// The profile of a file, without what two equal runs have different: when they were and how long
/// the host took.
Profile withoutTimes(const std::filesystem::path& file);

} // namespace tilescope::test
