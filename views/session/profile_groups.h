// What the parts of an open profile's model cost.
#pragma once

#include <stop_token>
#include <vector>

#include "core/analysis/operations/operation_groups.h"
#include "views/session/open_profile.h"

namespace tilescope::views {

/// operationGroups() of a profile with its trace, if it has one.
std::vector<OperationGroup> groupsOf(const OpenProfile& profile, OperationLayer layer, int depth,
                                     const std::stop_token& stop);

} // namespace tilescope::views
