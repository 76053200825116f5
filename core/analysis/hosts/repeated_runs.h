// Calls of a model that the host recorded and the execution does not have.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/host_record.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// The machine's work is timed for one call, as all take the same cycles. Later calls repeat it: at
/// their times, but not before the one before has ended.
struct RepeatedRuns {
    std::int64_t calls = 0;           ///< that the host recorded
    TraceRun run;                     ///< the one that is repeated
    std::vector<std::int64_t> starts; ///< cycles, ascending; runs from them do not overlap

    [[nodiscard]] bool empty() const { return starts.empty(); }
    /// The first repetition that ends after a cycle.
    [[nodiscard]] std::size_t firstFrom(std::int64_t cycle) const;
    [[nodiscard]] std::int64_t lastCycle() const {
        return empty() ? 0 : starts.back() + run.cycles;
    }
};

/// `mainCycles`: what a run of the main program takes. Calls are tracepoints "modelExecution" of
/// the channel of PopTorch's that calls when the first run begins, with its name in front or not.
RepeatedRuns repeatedRuns(const HostRecord& record, const TraceIndex& trace,
                          std::int64_t mainCycles, double clockHz);

} // namespace tilescope
