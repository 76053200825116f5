// Cycles in which an IPU does anything, also where steps overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/lanes.h"

namespace tilescope {

/// Of bodies of a trace on one IPU, by arithmetic over repeats. Calls throw UserError where a page
/// of the file is damaged.
class BusyTime {
public:
    BusyTime(const TraceLanes& lanes, IpuId ipu);

    /// Cycles of one execution of a body in which at least one step runs.
    std::int64_t of(TraceBodyId body);

private:
    struct Interval {
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };
    using Intervals = std::vector<Interval>; ///< sorted, apart from each other

    /// No two steps of the body, or of what it calls, overlap.
    bool isSequential(TraceBodyId body);
    std::int64_t measure(TraceBodyId body);
    std::int64_t ofRepetition(const Repetition& repetition);
    /// What a body does, unrolled; none if that is too much.
    std::optional<Intervals> unrolled(TraceBodyId body);
    static Intervals merged(Intervals intervals);
    static std::int64_t length(const Intervals& intervals);

    const TraceLanes& lanes_;
    IpuId ipu_;
    std::vector<std::int64_t> busy_;      ///< by body; -1: not measured yet
    std::vector<std::int8_t> sequential_; ///< by body; -1: not known yet
};

} // namespace tilescope
