// Everything about one step of an execution.
#pragma once

#include "views/execution/trace_content.h"
#include "views/session/selection.h"
#include "views/widgets/loading_panel.h"

namespace tilescope::views {

/// A step that was read, with the ids by which other reports select it.
struct ReadStep {
    ExecutedStep step;
    bool target = false; ///< of the target's execution
    OperationId operation;
    ComputeSetId computeSet;
    QString name; ///< of the program, or the kind of the step
};

/// The details of a step as a tree.
class StepPanel : public LoadingPanel {
    Q_OBJECT
public:
    explicit StepPanel(ViewContext& context);

    /// Reads a step by its execution index in a profile, which is the target or not.
    void showStep(const ProfileViewPtr& profile, std::int64_t step, bool target);
    /// Shows details of something else, such as a piece of host time.
    void showDetails(ValueTree details);
    /// Says that no step is selected.
    void showNone();

signals:
    void stepRead(const tilescope::views::ReadStep& step);

private:
    ValueTreeView* details_;
};

} // namespace tilescope::views
