// An execution as a file of the Chrome trace event format, which Perfetto and chrome://tracing
// open.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "core/analysis/hosts/host_timeline.h"
#include "core/profile/profile.h"
#include "core/trace/trace_index.h"

namespace tilescope {

struct ChromeTraceSource {
    const ProfileInfo& info;
    const TraceIndex& index;
    const IdVector<ProgramId, Program>& programs;
    const IdVector<OperationId, Operation>& operations;
    const HostTimeline* host = nullptr; ///< none: no lanes of the host
};

struct ChromeTraceOptions {
    CycleRange range;                    ///< what to write; empty: the whole execution
    std::int64_t mostEvents = 1'000'000; ///< steps beyond it are merged with their neighbours
};

struct ChromeTraceResult {
    std::int64_t events = 0;
    std::int64_t mergedSteps = 0; ///< steps that have no event of their own
};

/// Writes complete events ("ph": "X") with times in microseconds at the target's clock: a process
/// for each IPU, with the runs on its first track and the steps on the others; overlapping steps
/// have tracks of their own. Repeats are unrolled as far as mostEvents allows; narrower steps are
/// merged into one event that gives their number. Throws UserError for a range outside of the
/// execution.
///
/// The host is a separate process above the IPUs, with a thread for each of its lanes. Compilation
/// and loading are part of the whole execution, not of a range of it. If they are written, all
/// times count from the beginning of the compilation, as Perfetto drops events before 0;
/// otherData.executionBegins has the microseconds to the first run.
ChromeTraceResult writeChromeTrace(std::ostream& out, const ChromeTraceSource& source,
                                   const ChromeTraceOptions& options);

} // namespace tilescope
