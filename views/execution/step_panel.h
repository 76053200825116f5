// Everything about one step of an execution.
#pragma once

#include "core/analysis/execution/flows.h"
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
    Flows flows;  ///< that begin or end there
};

/// The details of a step as a tree.
class StepPanel : public LoadingPanel {
    Q_OBJECT
public:
    explicit StepPanel(ViewContext& context);

    /// Reads a step by its execution index in a profile, which is the target or not.
    void showStep(const ProfileViewPtr& profile, std::int64_t step, bool target);
    /// Shows details of something else, such as a piece of host time, with links of flowLinks() to
    /// steps of the source or target.
    void showDetails(ValueTree details, const QString& links = {}, bool target = false);
    /// Says that no step is selected.
    void showNone();

signals:
    void stepRead(const tilescope::views::ReadStep& step);
    /// A link to another step of the same execution was chosen.
    void stepWanted(qint64 step, bool target);

private:
    void showFlows(const QString& links, bool target);

    ViewContext& context_;
    ValueTreeView* details_;
    QLabel* flows_;
    bool inTarget_ = false; ///< the flows are of the target
};

} // namespace tilescope::views
