// What the host did around the execution.
#pragma once

#include <string>

namespace tilescope {

/// A piece of the host's work before the machine runs, for a lane above those of the IPUs.
struct HostSpan {
    std::string lane; ///< "Compilation", "Loading"
    std::string name; ///< "plan"
    double start = 0; ///< seconds since the compilation began
    double seconds = 0;
    friend bool operator==(const HostSpan&, const HostSpan&) = default;
};

} // namespace tilescope
