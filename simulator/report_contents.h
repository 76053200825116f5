// The parts of a profile that the engine options select for its file.
#pragma once

#include <filesystem>
#include <string>

#include "core/options/engine_options.h"
#include "core/profile/profile.h"

namespace tilescope::sim {

/// False if neither a graph profile nor an execution profile is requested.
bool wantsProfile(const EngineOptions& options);

/// The profile without the parts that autoReport.* leaves out: the trace and all times, the model's
/// graph, addresses of variables.
Profile wantedPart(Profile profile, const EngineOptions& options);

/// Writes the profile, or wantedPart() of it, without a copy if that is all.
void writeWantedPart(const Profile& profile, const EngineOptions& options,
                     const std::filesystem::path& file);

/// With debug.allowOutOfMemory the profile of a model that does not fit is written all the same.
bool allowsOutOfMemory(const EngineOptions& options);

/// Poplar's message at the end for a model that does not fit: with the option, which profiling
/// turns on, compilation continues and the tiles' sizes are in the profile, `file`.
std::string failureText(const Profile& profile, const EngineOptions& options,
                        const std::string& file);

} // namespace tilescope::sim
