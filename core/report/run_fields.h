// The samples and times of a run, as command line and window show them.
#pragma once

#include <vector>

#include "core/profile/profile.h"
#include "core/table/table.h"

namespace tilescope {

/// The factors of a run's samples and their product. Their labels are for people.
std::vector<Field> runSampleFields(const ProfileInfo& info);

/// The time of a run on the machine, what the host's call adds to it, the sum of both and the
/// samples a second that follow. Without an execution they have no values.
std::vector<Field> runTimeFields(const ProfileInfo& info);

} // namespace tilescope
