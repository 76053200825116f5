// What is read of an execution before its plots are.
#pragma once

#include <QStringList>

#include "core/profile/host_record.h"
#include "views/execution/trace_content.h"
#include "views/plot/trace/cycle_plot.h"

namespace tilescope::views {

/// The ranges that the user can choose by name: everything, each run, and the first of a pipeline's
/// equal steps.
struct RunChoices {
    std::vector<TraceRun> runs;
    std::optional<FirstStep> firstStep; ///< the last choice, if there is one

    [[nodiscard]] QStringList names() const;
    /// The initial choice: the main program, which takes `cycles`, as loading weights takes longer
    /// and says less; one step of a pipeline, whose ramps would be lost among many steps.
    [[nodiscard]] int usual(std::int64_t cycles) const;
    /// None for everything.
    [[nodiscard]] std::optional<CycleRange> range(int choice) const;
};

/// The execution of the source or, if only that has one, of the target.
struct ShownExecution {
    Hosts hosts;
    std::shared_ptr<const HostRecord> record; ///< of the user's program; null without one
    RunChoices runs;
    std::optional<CycleRange> targetRange; ///< the usual run of a target that is shown beside it
    double cycles = 0;                     ///< of the longer one
    bool pipelined = false;                ///< one of the two is

    /// The begin of the axis: that of the compilation if it is shown, else the first run.
    [[nodiscard]] double first(bool compilation) const;
    /// The end of the execution, or of the program's records if the compilation is shown.
    [[nodiscard]] double last(bool compilation) const;
};

/// The same on an axis: ranges and length are its places.
ShownExecution onAxis(ShownExecution execution, const TraceAxis& axis);

/// The user's mark, which is at a cycle of the source.
TraceFlag onAxis(const TraceFlag& mark, const TraceAxis& axis);

/// On a worker thread; there is an execution.
ShownExecution readExecution(const ProfilePair& profiles, const std::stop_token& stop);

} // namespace tilescope::views
