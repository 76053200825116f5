// Moving through an execution.
#pragma once

#include "views/execution/shown_execution.h"
#include "views/execution/trace_controls.h"
#include "views/execution/trace_panes.h"
#include "views/execution/trace_tabs.h"

namespace tilescope::views {

/// The visible cycles of the plots: a run, what surrounds a step, the user's marks; the search for
/// steps, and the keys that do all that in any plot.
class TraceNavigator : public QObject {
    Q_OBJECT
public:
    /// `profiles` are those that the report shows.
    TraceNavigator(ViewContext& context, const ProfilePair& profiles, TraceSelection& selection,
                   TraceControls& controls, TracePanes& panes, TraceTabs& tabs, QObject* parent);

    /// After other profiles were opened.
    void reset();
    /// Shows the usual run of an execution that has been read.
    void begin(const ShownExecution& execution);
    /// Shows what was asked for while the execution was read, or else what is selected.
    void arrive();
    /// Shows an execution on another axis, and a part of it or (none) all.
    void changeAxis(const ShownExecution& execution, const std::optional<CycleRange>& inSight);
    /// Shows or hides what the host did before the first run.
    void changeHost(const ShownExecution& execution);
    /// Later if `reading`: the execution is not there yet.
    void goToOperation(OperationId operation, bool target, bool reading);
    /// Goes to a program or micro-batch that another report has selected.
    void follow(const Selected& selected);
    void countMatches();

signals:
    void reportWanted(const QString& name);
    void status(const QString& text);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool keyPressed(const QKeyEvent& event);
    void setLimits(const ShownExecution& execution);
    void showRun(int choice);
    void showAround(const ExecutedStep& step, bool target);
    [[nodiscard]] double cycleAt(double place, bool target) const;
    void followProgram(ProgramId program);
    void followMicroBatch(MicroBatchId microBatch, ProgramId program);
    void showMicroBatch(CycleRange range);
    void showCall(const std::optional<ExecutedCall>& call);
    void findOperation(OperationId operation, bool target);
    void findStep(bool forward);
    void findBeside(bool forward);
    void selectRangeByKey();
    void addMark();
    void showMark(const TraceFlag& mark);
    void goToMark(bool forward);

    ZoomRange& zoom_;
    const ProfilePair& profiles_;
    TraceSelection& selection_;
    TraceControls& controls_;
    TracePanes& panes_;
    TraceTabs& tabs_;
    RunChoices runs_;
    struct WantedOperation {
        OperationId operation;
        bool target = false;
    };
    std::optional<WantedOperation> wanted_; ///< to be shown when the execution is read
    MicroBatchId microBatch_;               ///< that is followed
    std::optional<double> shownMark_;       ///< the cycle of the mark that was shown last
};

} // namespace tilescope::views
