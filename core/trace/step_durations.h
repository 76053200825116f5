// How long the executions of one program take: their distribution, and the longest.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/trace/trace_index.h"

namespace tilescope {

/// Executions of a step, each with the cycles of the IPU that takes longest. What a body repeats is
/// counted, not visited.
struct StepDurations {
    /// Executions of about the same length, to a thousandth.
    struct Bin {
        std::int64_t least = 0, most = 0; ///< cycles that occur
        std::int64_t count = 0;
        friend bool operator==(const Bin&, const Bin&) = default;
    };
    struct Execution {
        std::int64_t cycles = 0;
        std::int64_t step = -1; ///< the first of them, by execution index
        std::int64_t count = 0; ///< of a step that its body repeats
        friend bool operator==(const Execution&, const Execution&) = default;
    };
    std::vector<Bin> bins;          ///< ascending
    std::vector<Execution> longest; ///< at most mostLongest, the longest first
    std::int64_t count = 0, cycles = 0;
    static constexpr std::size_t mostLongest = 8;

    [[nodiscard]] bool empty() const { return bins.empty(); }
    [[nodiscard]] std::int64_t least() const { return empty() ? 0 : bins.front().least; }
    [[nodiscard]] std::int64_t most() const { return empty() ? 0 : bins.back().most; }
    /// The cycles that a share of the executions does not exceed, to a thousandth.
    [[nodiscard]] std::int64_t quantile(double share) const;
};

/// Reads the steps of each body that executes the program more than once; sums tell all others.
/// Throws Cancelled after a stop, UserError for a damaged file.
StepDurations stepDurations(const TraceIndex& trace, ProgramId program,
                            const std::stop_token& stop = {});

} // namespace tilescope
