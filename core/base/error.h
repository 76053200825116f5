// The two kinds of error: the user's (exit status 2) and ours (exit status 3).
#pragma once

#include <stdexcept>
#include <string>

namespace tilescope {

/// Something the user can mend. The text says what is wrong, where (file, node, key) and the
/// remedy.
class UserError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A profile that says what cannot be: another program, a bad disk or a cut copy has changed it.
class DamagedProfile : public UserError {
public:
    explicit DamagedProfile(const std::string& damage)
        : UserError("damaged profile: " + damage) {}
    /// The same in a file: "'run/profile.pop': damaged profile: ...", with the remedy.
    [[nodiscard]] UserError in(const std::string& file) const {
        return UserError("'" + file + "': " + what() + ". Write the profile again.");
    }
};

/// What `read` returns; damage that it finds gets the name of the file.
template <class Read> auto namingFile(const std::string& file, Read read) -> decltype(read()) {
    try {
        return read();
    } catch (const DamagedProfile& damage) {
        throw damage.in(file);
    }
}

/// A broken invariant of TileScope itself.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// A read that its caller stopped; never shown to the user.
class Cancelled : public std::runtime_error {
public:
    Cancelled()
        : std::runtime_error("cancelled") {}
};

} // namespace tilescope
