// The error of a damaged profile, and the name of its file in it.
#pragma once

#include <string>

#include "core/base/error.h"

namespace tilescope {

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

} // namespace tilescope
