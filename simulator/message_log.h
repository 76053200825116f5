// Messages of a profile as lines of the original's log.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// "2024-04-03T08:27:01.166470Z PL:POPLIN    208191.208191 W: Warning: ..." with the time of now
/// and this process: PL:POPLIN for what is about an operation, which the line does not name,
/// PO:ENGINE for all else. Not cleaned for terminals.
std::string logLine(const Profile& profile, const Message& message);

} // namespace tilescope::sim
