// What of a profile the engine options want in its file.
#pragma once

#include <string>

#include "core/options/engine_options.h"
#include "core/profile/profile.h"

namespace tilescope::sim {

/// False where neither a graph profile nor an execution profile is wanted.
bool wantsProfile(const EngineOptions& options);

/// The profile without what autoReport.* leaves out: the trace and all times, the model's graph,
/// addresses of variables.
Profile wantedPart(Profile profile, const EngineOptions& options);

/// With debug.allowOutOfMemory the profile of a model that does not fit is written all the same.
bool allowsOutOfMemory(const EngineOptions& options);

/// What the original says at the end of a model that does not fit: with the option, which profiling
/// turns on, compilation goes on and the tiles' sizes are in the profile, `file`.
std::string failureText(const Profile& profile, const EngineOptions& options,
                        const std::string& file);

} // namespace tilescope::sim
