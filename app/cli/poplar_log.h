// Messages of a profile as the original's log lines.
#pragma once

#include <iosfwd>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::cli {

/// Prints messages as loud as the environment's POPLIBS_LOG_LEVEL (messages about an operation) and
/// POPLAR_LOG_LEVEL (all others) allow. Both are OFF by default. Throws UserError for a level that
/// is none of OFF, ERR, WARN, INFO, DEBUG and TRACE.
void writeLog(std::ostream& err, const std::vector<Message>& messages);

} // namespace tilescope::cli
