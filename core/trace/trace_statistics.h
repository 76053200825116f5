// Sums over a range of the execution, of the steps of one IPU.
#pragma once

#include <array>
#include <cstdint>

#include "core/profile/kinds.h"

namespace tilescope {

/// Sums that add up: over steps, bodies and ranges. Large sums saturate instead of wrapping.
struct TraceSums {
    std::array<std::int64_t, programKinds.size()> cyclesByKind{};
    std::int64_t steps = 0;
    std::int64_t activeCycles = 0;        ///< tile cycles in which a tile worked
    std::int64_t computeActiveCycles = 0; ///< those of compute sets
    std::int64_t exchangeBytesIn = 0;     ///< received by tiles from tiles of the same IPU
    std::int64_t exchangeBytesOut = 0;
    std::int64_t hostBytesIn = 0; ///< stream copies, from the host
    std::int64_t hostBytesOut = 0;
    std::int64_t globalBytesIn = 0; ///< from other IPUs
    std::int64_t globalBytesOut = 0;
    /// Tile cycles in which tiles of a compute set wait for its slowest one; see waitingCycles() in
    /// range_programs.h. 0 where TraceLanes::knowsWaiting() is false.
    std::int64_t waitingCycles = 0;

    [[nodiscard]] std::int64_t cycles(ProgramKind kind) const {
        return cyclesByKind[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::int64_t compute() const { return cycles(ProgramKind::OnTileExecute); }
    /// Exchange inside the IPU and between IPUs.
    [[nodiscard]] std::int64_t exchange() const;
    [[nodiscard]] std::int64_t sync() const { return cycles(ProgramKind::Sync); }
    /// Stream copies: waiting for the host, transfer, and the end.
    [[nodiscard]] std::int64_t host() const;
    [[nodiscard]] std::int64_t total() const;
    /// The kind with the most cycles.
    [[nodiscard]] ProgramKind dominantKind() const;

    TraceSums& operator+=(const TraceSums& other);
    friend TraceSums operator-(const TraceSums& a, const TraceSums& b);
    [[nodiscard]] TraceSums times(std::int64_t count) const;
    /// The share part/whole of everything but `steps`, for a step that a range cuts.
    [[nodiscard]] TraceSums share(std::int64_t part, std::int64_t whole) const;
    friend bool operator==(const TraceSums&, const TraceSums&) = default;
};

/// Sums of a range with figures derived from them.
struct TraceStatistics {
    TraceSums sums;
    std::int64_t cycles = 0; ///< length of the range
    /// Active tile cycles / (cycles of the range x tiles of the IPU), 0 to 1.
    double tileBalance = 0;
    /// Active tile cycles of compute sets / (their cycles x tiles of the IPU), 0 to 1; 0 without
    /// compute.
    double parallelEfficiency = 0;
    /// Cycles that the cycles by kind count more than once: where k steps run at once, k - 1 times
    /// their cycles. Cycles by kind and idle() minus these are the cycles of the range.
    std::int64_t overlapped = 0;
    /// Cycles of the range in which the IPU did nothing.
    [[nodiscard]] std::int64_t idle() const;
};

} // namespace tilescope
