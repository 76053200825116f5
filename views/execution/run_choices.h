// The ranges of an execution that the user can choose by name.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "views/execution/trace_content.h"

namespace tilescope::views {

/// Everything, each run, and the first of a pipeline's equal steps.
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

} // namespace tilescope::views
