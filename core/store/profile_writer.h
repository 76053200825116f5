// Profile values to a file.
#pragma once

#include <filesystem>

#include "core/profile/profile.h"

namespace tilescope {

/// Writes a profile atomically (a temporary file that is renamed when complete) with its summary
/// tables. Throws UserError naming the file when the directory, the disk or the permissions forbid.
void writeProfile(const Profile& profile, const std::filesystem::path& file);

} // namespace tilescope
