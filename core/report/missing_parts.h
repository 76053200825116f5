// What reports leave out because the profile lacks it. The one list of which figure needs what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/profile/profile.h"
#include "core/table/table.h"

namespace tilescope {

/// Why a report has nothing to show of a profile, as a sentence; none if it has.
std::optional<std::string> whyNotKnown(std::string_view report, const ProfileInfo& info);

/// Empties cells and fields of a report whose figures the profile lacks. Does nothing to a profile
/// that lacks nothing.
void leaveOutMissing(Document& document, std::string_view report, const ProfileInfo& info);
void leaveOutMissing(Table& table, std::string_view report, const ProfileInfo& info);

/// What the profile lacks, with the reasons; without rows if it lacks nothing.
Table coverageTable(const ProfileInfo& info);

} // namespace tilescope
