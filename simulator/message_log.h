// Messages of a profile as lines of Poplar's log.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// "2024-04-03T08:27:01.166470Z PL:POPLIN    208191.208191 W: Warning: ..." with the present time
/// and this process: PL:POPLIN for messages about an operation, which the line does not name,
/// PO:ENGINE for all others. Not cleaned for terminals.
std::string logLine(const Profile& profile, const Message& message);

} // namespace tilescope::sim
