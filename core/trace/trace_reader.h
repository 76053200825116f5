// The trace tables of a profile as values.
#pragma once

#include "core/database/database.h"
#include "core/profile/trace.h"

namespace tilescope {

/// Reads all bodies, steps, calls and runs. Throws UserError on damage, Cancelled after a stop.
Trace readTrace(const Database& db);

/// Runs and bodies with their calls in the order of their items, but without items and steps.
Trace readOutline(const Database& db);

} // namespace tilescope
