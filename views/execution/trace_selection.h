// What is selected in an execution.
#pragma once

#include "core/report/range_table.h"
#include "views/execution/step_finder.h"
#include "views/execution/step_panel.h"
#include "views/execution/trace_axis.h"
#include "views/execution/trace_content.h"
#include "views/plot/plot_widget.h"
#include "views/plot/trace/lane_ways.h"

namespace tilescope::views {

/// A step, which is also the selection of other reports, a range of cycles, and what is marked in
/// all plots. A part of the window's history.
class TraceSelection : public QObject {
    Q_OBJECT
public:
    /// `profiles` are those that the report shows; `panel` reads the steps.
    TraceSelection(ViewContext& context, const ProfilePair& profiles, StepPanel& panel,
                   QObject* parent);

    /// What all reports share.
    [[nodiscard]] const Selected& shared() const { return context_.selection.current(); }

    /// Execution index in its profile, or -1.
    [[nodiscard]] std::int64_t step() const { return chosen_.step; }
    [[nodiscard]] bool inTarget() const { return chosen_.inTarget; }
    /// The step to search from in the execution of the source or target.
    [[nodiscard]] std::int64_t stepOf(bool target) const {
        return chosen_.inTarget == target ? chosen_.step : -1;
    }
    /// Of the step, for a mark.
    [[nodiscard]] const QString& name() const { return chosen_.name; }
    [[nodiscard]] const std::optional<CycleRange>& range() const { return chosen_.range; }
    [[nodiscard]] const std::optional<CycleRange>& marked() const { return chosen_.marked; }

    /// Whether these are the open profiles. What is left of others, which stays on the screen until
    /// it has been read anew, selects nothing: its steps mean other things now.
    [[nodiscard]] bool isOf(const ProfilePair& profiles) const {
        return profiles.source == profiles_.source && profiles.target == profiles_.target;
    }
    /// Likewise of one of them.
    [[nodiscard]] bool isOf(const ProfileViewPtr& profile, bool target) const {
        return profile == profileOf(profiles_, target);
    }

    /// After other profiles were opened.
    void reset();
    /// Ranges and marks are places of an axis, steps are found at their cycles. What is selected
    /// stays so on another axis, except for a range.
    void setAxis(TraceAxis axis);
    [[nodiscard]] const TraceAxis& axis() const { return axis_; }
    /// Reads and selects a step, and brings its details to the front.
    void showStep(std::int64_t step, bool target);
    /// Does the same without bringing them to the front.
    void readStep(std::int64_t step, bool target);
    /// Drops the range and shows the step that runs on an IPU at a cycle, if any.
    void showStepAt(IpuId ipu, std::int64_t cycle, bool target);
    /// Shows the step of the host's stream copy that begins at a cycle.
    void showCopy(std::int64_t begin, bool target);
    /// Shows details of something that is not a step.
    void showDetails(const ValueTree& details);
    /// Selects the cycles of a box of several steps, and shows where its data comes from and goes
    /// to, if it is a part of a pipeline's stage.
    void showBox(const CycleRange& range, std::int64_t firstStep, bool target, const QString& name);
    void selectRange(std::optional<CycleRange> range);
    void dropRange();
    /// Marks cycles, or the boxes of a step that runs in them.
    void mark(std::optional<CycleRange> range, SelectedSteps steps = {});
    /// Outlines all boxes of a row's steps in a range of the axis.
    void markExecutions(const RangeRow& row, CycleRange range);
    /// Follows the micro-batch of the selected step, or none any more if it is followed.
    void followMicroBatch();
    void unfollow();
    /// Shows the selected step's counterpart in the other profile.
    void showCounterpart();
    /// Takes over the program of the selection that reports share; false if its steps must not be
    /// shown.
    bool follow(ProgramId program);
    [[nodiscard]] ProgramId program() const { return chosen_.program; }
    [[nodiscard]] StepFinder& finder() { return finder_; }

signals:
    void marksChanged(const std::vector<tilescope::views::PlotWidget::Marker>& markers,
                      const tilescope::views::SelectedSteps& steps);
    /// Arrows of what is selected.
    void flowsChanged(const std::vector<tilescope::views::LaneFlow>& flows);
    void rangeChanged();
    /// The user has selected a range.
    void rangeSelected();
    /// A step of this program is selected.
    void programShown(tilescope::ProgramId program, bool target);
    /// Another step of the execution that is searched is selected.
    void stepChanged();
    void detailsWanted();
    void status(const QString& text);

private:
    struct Chosen {
        friend bool operator==(const Chosen&, const Chosen&) = default;
        std::optional<CycleRange> range;
        std::optional<CycleRange> marked; ///< what is marked in all plots
        SelectedSteps boxes;              ///< if a step is marked: outlined boxes by lane
        std::int64_t step = -1;
        bool inTarget = false;
        QString name;
        ProgramId program; ///< of the selection that other reports share
    };
    void restore(const Chosen& chosen);
    void stepRead(const ReadStep& read);
    void addBoxes(SelectedSteps& boxes, const ExecutedStep& step, bool target) const;

    ViewContext& context_;
    const ProfilePair& profiles_;
    StepPanel& panel_;
    StepFinder finder_;
    BackgroundQuery executionsQuery_;
    BackgroundQuery cycleQuery_;
    BackgroundQuery batchQuery_;
    BackgroundQuery stageQuery_;
    TraceAxis axis_;
    Chosen chosen_;
    /// The step that is read again because a step back has restored it: the plots do not move.
    std::optional<std::int64_t> restored_;
};

} // namespace tilescope::views
