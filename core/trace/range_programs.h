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
    std::int64_t longest = 0; ///< of one execution, also what the range cuts off
};

/// In the order of the programs' ids, Syncs first. Repetitions that lie in the range as a whole are
/// multiplied, never walked through. The steps' cycles add up to those of
/// TraceIndex::statistics(). Throws UserError for a damaged file.
std::vector<RangeProgram> programsIn(const TraceIndex& trace, IpuId ipu, CycleRange range);

} // namespace tilescope
