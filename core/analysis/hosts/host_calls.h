// What the program on the host did in a range, as a tree of calls.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/hosts/host_threads.h"

namespace tilescope {

/// All tracepoints of a name and channel within the same others; a thread at the root.
struct HostCalls {
    std::string name, channel;
    std::int64_t count = 0;
    std::int64_t cycles = 0;       ///< within the range, with those of others within it
    std::int64_t ownCycles = 0;    ///< without them
    std::int64_t longest = 0;      ///< of one, including what lies outside of the range
    std::vector<HostCalls> within; ///< the most cycles first
};

/// Most lines of a tree; what is deeper or rarer is counted where it is called.
inline constexpr std::size_t mostHostCalls = 20'000;

/// A root for each thread that has any in the range, whose cycles are those of its outermost calls.
/// Throws Cancelled after a stop.
std::vector<HostCalls> hostCalls(const HostThreads& threads, CycleRange range,
                                 const std::stop_token& stop = {});

} // namespace tilescope
