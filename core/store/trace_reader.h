// The trace tables of a profile as values.
#pragma once

#include "core/profile/trace.h"
#include "core/store/database.h"

namespace tilescope {

/// Reads all bodies, steps, calls and runs. Throws UserError on damage, Cancelled after a stop.
Trace readTrace(const Database& db);

} // namespace tilescope
