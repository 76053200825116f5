// The error of a damaged profile, and the name of its file in it.
#pragma once

#include <string>

#include "core/base/error.h"

namespace tilescope {

/// A profile with impossible contents: another program, a bad disk or a truncated copy changed it.
class DamagedProfile : public UserError {
public:
    explicit DamagedProfile(const std::string& damage)
        : UserError("damaged profile: " + damage) {}
    /// The same in a file: "'run/profile.pop': damaged profile: ...", with the remedy.
    [[nodiscard]] UserError in(const std::string& file) const {
        return UserError("'" + file + "': " + what() + ". Write the profile again.");
    }
};

/// Returns the result of `read`; adds the name of the file to damage that it reports.
template <class Read> auto namingFile(const std::string& file, Read read) -> decltype(read()) {
    try {
        return read();
    } catch (const DamagedProfile& damage) {
        throw damage.in(file);
    }
}

} // namespace tilescope
