// Which steps run in a range of cycles, how often and for how long.
#pragma once

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
};

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
