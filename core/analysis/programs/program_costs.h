// What programs cost with everything below them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace_index.h"

namespace tilescope {

/// Cycles of a program on the IPU that takes longest.
struct ProgramCost {
    /// One execution with everything below it and in the functions it calls: as executed, or the
    /// estimate of the slowest tile for what was not.
    std::int64_t cycles = 0;
    std::int64_t executions = 0; ///< in all runs; 0 for a Sequence or without a trace
    std::int64_t total = 0;      ///< all executions in all runs; 0 without a trace
    friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Of every program. `executions` is TraceIndex::executions(), or empty without a trace. The
/// programs must be a tree; a function that calls itself costs nothing the second time.
std::vector<ProgramCost> programCosts(const IdVector<ProgramId, Program>& programs,
                                      const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                      const IdVector<ExchangeId, Exchange>& exchanges,
                                      const std::vector<ProgramExecutions>& executions);

} // namespace tilescope
