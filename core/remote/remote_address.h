// Where a file on another machine is: ssh://[user@]host[:port]/path.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A file or folder that ssh leads to. The host may be an alias of the user's ssh configuration.
struct RemoteAddress {
    std::string user; ///< empty: as the configuration says
    std::string host;
    int port = 0;     ///< 0: as the configuration says
    std::string path; ///< absolute; "/~/x" is x in the home folder

    friend bool operator==(const RemoteAddress&, const RemoteAddress&) = default;
};

/// Whether a name is meant as an address, well formed or not.
bool isRemote(std::string_view name);

/// Throws UserError for anything that ssh or a shell could take for something else. The path is
/// taken as it is: "%20" is not a blank.
RemoteAddress remoteAddress(std::string_view text);

std::string toString(const RemoteAddress& address);

/// The path as a word of a shell on the other machine.
std::string shellPath(const RemoteAddress& address);

/// A text as one word of any common shell.
std::string shellWord(std::string_view text);

} // namespace tilescope
