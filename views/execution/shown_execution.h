// What is read of an execution before its plots are.
#pragma once

#include "core/profile/host_record.h"
#include "views/execution/run_choices.h"

namespace tilescope::views {

/// The execution of the source or, if only that has one, of the target.
struct ShownExecution {
    Hosts hosts;
    std::shared_ptr<const HostRecord> record; ///< of the user's program; null without one
    RunChoices runs;
    std::optional<CycleRange> targetRange; ///< the usual run of a target that is shown beside it
    double cycles = 0;                     ///< of the longer one

    /// The begin of the axis: that of the compilation if it is shown, else the first run.
    [[nodiscard]] double first(bool compilation) const;
    /// The end of the execution, or of the program's records if the compilation is shown.
    [[nodiscard]] double last(bool compilation) const;
};

/// On a worker thread; there is an execution.
ShownExecution readExecution(const ProfilePair& profiles, const std::stop_token& stop);

} // namespace tilescope::views
