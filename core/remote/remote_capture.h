// Captures of Poplar's profiles, made on the machine where the profile and Poplar's SDK are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/remote/remote_copy.h"

namespace tilescope {

struct RemoteCaptureRequest {
    RemoteAddress profile;        ///< Poplar's profile.pop, or its folder
    std::string enable;           ///< absolute path of the SDK's enable script there
    std::string_view script = {}; ///< tilescope_capture.py
};

/// Runs the script there, in a shell that has sourced the enable script, and copies what it
/// captured into a folder of copies. Unless it is stopped it leaves nothing there. Throws UserError
/// with what the script says if it fails, and Cancelled after a stop.
std::filesystem::path captureRemote(const SshProgram& ssh, const RemoteCaptureRequest& request,
                                    const std::filesystem::path& copies,
                                    const CopyProgress& progress = {},
                                    const std::stop_token& stop = {});

} // namespace tilescope
