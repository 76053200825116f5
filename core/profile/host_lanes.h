// The names of the host's lanes, in the file, in reports and on the screen.
#pragma once

#include <string_view>

namespace tilescope {

/// Compiling the graph, by phase. Of lanes of HostSpan, as is the next.
inline constexpr std::string_view compilationLane = "Compilation";
/// Bringing the executable to the tiles.
inline constexpr std::string_view loadingLane = "Loading";
/// Calls of Engine::run. Follows from the trace, as does the next.
inline constexpr std::string_view engineLane = "Engine";
/// What the host does for streams during a run, and who waits for whom.
inline constexpr std::string_view callbacksLane = "Stream callbacks";

} // namespace tilescope
