// What the host did around the execution, and the names of its lanes in the file, in reports and on
// the screen.
#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A piece of the host's work before the machine runs, in a lane above those of the IPUs.
struct HostSpan {
    std::string lane; ///< "Compilation", "Loading", "Host call"
    std::string name; ///< "plan"
    double start = 0; ///< seconds since the compilation began
    double seconds = 0;
    friend bool operator==(const HostSpan&, const HostSpan&) = default;
};

/// Compiling the graph, by phase. A lane of HostSpan, like the next two.
inline constexpr std::string_view compilationLane = "Compilation";
/// Loading the executable onto the tiles.
inline constexpr std::string_view loadingLane = "Loading";
/// What the host does for each call of the engine, shown for the first call.
inline constexpr std::string_view callLane = "Host call";
/// Calls of Engine::run. Derived from the trace, like the next.
inline constexpr std::string_view engineLane = "Engine";
/// What the host does for streams during a run, and who waits for whom.
inline constexpr std::string_view callbacksLane = "Stream callbacks";

} // namespace tilescope
