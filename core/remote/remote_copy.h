// Copies of remote files in the cache, one for each version of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/remote/remote_files.h"

namespace tilescope {

/// Told how many bytes are there, of how many.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t bytes)>;

struct RemoteCopy {
    std::filesystem::path file;
    RemoteAddress address;     ///< of the remote file
    RemoteEntry version;       ///< of the remote file that it is
    std::int64_t received = 0; ///< bytes that came now; the others were there
};

/// The copy of a file in a folder of copies; a remote folder stands for the profile.pop in it. What
/// a former call received of the same version is kept, so that a copy that was cut or stopped
/// continues; a lost connection is tried again as long as something comes. Throws UserError, and
/// Cancelled after a stop.
RemoteCopy copyRemote(const SshProgram& ssh, const RemoteAddress& address,
                      const std::filesystem::path& copies, const CopyProgress& progress = {},
                      const std::stop_token& stop = {});

} // namespace tilescope
