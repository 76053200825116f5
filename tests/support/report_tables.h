// The tables of all reports of a profile.
#pragma once

#include <vector>

#include "core/table/table.h"
#include "core/view/profile_view.h"

namespace tilescope::test {

/// Of every report that there is, in their order.
std::vector<Table> tablesOfAllReports(const ProfileView& profile);

} // namespace tilescope::test
