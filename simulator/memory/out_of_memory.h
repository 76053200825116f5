// Poplar's messages when a program does not fit.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// Poplar's text, by what is too large on the first of the fullest tiles; "" if all fits:
/// "Tile 0 receives more data than it has total memory in exchange 'name'",
/// "tile 0 _poplar_start must be 0 not 638976 bytes from the start of memory. ..." where code does
/// not fit its region, and all else would fit beside it, else
/// "Out of memory on tile 3: 674752 bytes used but tiles only have 638976 bytes of memory".
std::string outOfMemoryText(const Profile& profile);

/// Whether outOfMemoryText() is about all data of a tile together. Then Poplar continues where
/// debug.allowOutOfMemory allows it and reports outOfVariablesText() at the end.
bool isOutOfVariables(const Profile& profile);

/// "Out of memory: Cannot fit all variable data onto one or more tiles.", with the place where the
/// profile was saved unless that is empty.
std::string outOfVariablesText(const std::string& profilePath);

/// Throws UserError with Poplar's "Buffer 1 needs to be at least N Bytes, but remaining host
/// buffer memory is only M" where the buffers of streams, each with `depth` of them, do not fit the
/// host's memory that an IPU can reach.
void checkHostBuffers(const Profile& profile, const Target& target, std::int32_t depth);

} // namespace tilescope::sim
