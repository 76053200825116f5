// Commands on another machine by the system's ssh, so that the user's configuration, keys, agent
// and jump hosts apply.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/remote/remote_address.h"

namespace tilescope {

/// How ssh is started.
struct SshProgram {
    std::string program = "ssh";
    /// What asks the user for passwords, passphrases and whether a host is trusted, with
    /// TILESCOPE_ASKPASS set; empty: ssh asks at the terminal.
    std::string askpass = {};
    bool asks = true; ///< false: what would need an answer fails
};

/// With the program of the variable TILESCOPE_SSH, if it is set.
SshProgram sshFromEnvironment();

/// The connection ended before the command did.
class ConnectionLost : public UserError {
public:
    using UserError::UserError;
};

/// The user's own machine is told apart from the other by the exit status.
struct RemoteResult {
    int status = 0;
    std::string out; ///< empty if it was taken
    std::string err;
};

/// Given output as it comes; false: that is enough.
using TakeOutput = std::function<bool(std::string_view)>;

/// Runs a command of the shell on the host of an address. Commands of a minute share a connection.
/// Throws UserError if the host cannot be reached, is not the one that was known, or refuses the
/// login; ConnectionLost; Cancelled after a stop.
RemoteResult runRemote(const SshProgram& ssh, const RemoteAddress& at, const std::string& command,
                       const std::stop_token& stop = {}, const TakeOutput& take = {},
                       std::string_view input = {});

} // namespace tilescope
