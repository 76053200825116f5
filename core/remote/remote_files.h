// Files of another machine: what is there, and what is in a folder.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/ssh.h"

namespace tilescope {

/// A file or folder.
struct RemoteEntry {
    std::string name; ///< without its folder
    bool folder = false;
    std::int64_t bytes = 0;
    std::int64_t modified = 0; ///< nanoseconds since 1970

    friend bool operator==(const RemoteEntry&, const RemoteEntry&) = default;
};

struct RemoteFolder {
    RemoteAddress address;            ///< with its path from the root
    std::vector<RemoteEntry> entries; ///< folders first, by name
    std::int64_t leftOut = 0; ///< of more than can be shown, and names with control characters
};

/// Throws UserError if there is nothing.
RemoteEntry remoteEntry(const SshProgram& ssh, const RemoteAddress& address,
                        const std::stop_token& stop = {});

/// A folder; an empty path is the user's home folder.
RemoteFolder remoteFolder(const SshProgram& ssh, const RemoteAddress& address,
                          const std::stop_token& stop = {});

/// The address of a name in a folder, or of the folder above.
RemoteAddress inFolder(const RemoteAddress& folder, const std::string& name);
RemoteAddress above(const RemoteAddress& address);

} // namespace tilescope
