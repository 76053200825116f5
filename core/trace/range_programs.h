// Which steps run in a range of cycles, how often and for how long.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/trace_index.h"

namespace tilescope {

/// All executions of a step on one IPU in a range.
struct RangeProgram {
    ProgramId program; ///< none for Syncs
    ProgramKind kind = ProgramKind::Sync;
    std::int64_t count = 0;   ///< executions that the range touches
    std::int64_t cycles = 0;  ///< those within the range
    std::int64_t longest = 0; ///< of one execution, including what lies outside of the range
    // Within the range; an execution that it cuts counts in part:
    std::int64_t waiting = 0; ///< see waitingCycles()
    std::int64_t bytesIn = 0; ///< received from tiles, other IPUs and the host
    friend bool operator==(const RangeProgram&, const RangeProgram&) = default;
};

/// Tile cycles in which tiles of a compute set wait for its slowest one; 0 of other steps.
std::int64_t waitingCycles(ProgramKind kind, const StepOnIpu& step);

/// 1 - waiting / (cycles x tiles): the share of tile cycles in which no tile waits for another one
/// within a compute set, whatever else it does. What PopVision calls tile balance of a program on
/// hardware is near it (tests/fidelity/README.md); TraceStatistics::tileBalance is that of an IPU
/// Model. None without cycles.
std::optional<double> stepBalance(std::int64_t waiting, std::int64_t cycles, std::int32_t tiles);

/// The same of one execution of a step; none of other steps than compute sets.
std::optional<double> stepBalance(ProgramKind kind, const StepOnIpu& step, std::int32_t tiles);

/// The same of everything that an IPU does in a range; none for a long trace of an older file.
std::optional<double> stepBalance(const TraceIndex& trace, IpuId ipu, CycleRange range,
                                  std::int32_t tiles);

/// In the order of the programs' ids, Syncs first. Repetitions that lie entirely in the range are
/// multiplied, never iterated. The steps' cycles add up to those of TraceIndex::statistics().
/// Throws UserError for a damaged file.
std::vector<RangeProgram> programsIn(const TraceIndex& trace, IpuId ipu, CycleRange range);

/// The first step, in the order of execution, that begins at a cycle or after it; stepCount() if
/// there is none.
std::int64_t firstStepFrom(const TraceIndex& trace, double cycle);

/// From a step's begin on the first of its IPUs to its end on the last; it must have one.
CycleRange cyclesOf(const ExecutedStep& step);

/// The steps of some programs that run in a range, in the order of execution, at most this many,
/// including those partly outside of the range.
std::vector<ExecutedStep> executionsIn(const TraceIndex& trace, const ProgramSet& programs,
                                       CycleRange range, std::size_t most);

} // namespace tilescope
