// What of a profile the engine options want in its file.
#pragma once

#include "core/options/run_options.h"
#include "core/profile/profile.h"

namespace tilescope::sim {

/// False where neither a graph profile nor an execution profile is wanted.
bool wantsProfile(const RunOptions& options);

/// The profile without what autoReport.* leaves out: the trace and all times, the model's graph,
/// addresses of variables.
Profile wantedPart(Profile profile, const RunOptions& options);

} // namespace tilescope::sim
