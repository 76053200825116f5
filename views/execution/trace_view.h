// The execution trace: what every IPU does in every cycle.
#pragma once

#include "core/report/range_table.h"
#include "views/execution/ipu_field.h"
#include "views/execution/lanes_pane.h"
#include "views/execution/marks.h"
#include "views/execution/run_choices.h"
#include "views/execution/step_finder.h"
#include "views/execution/step_panel.h"
#include "views/execution/tiles_pane.h"
#include "views/execution/trace_strip.h"
#include "views/execution/tracks/tracks_pane.h"
#include "views/plot/legend_bar.h"
#include "views/widgets/pointed.h"
#include "views/widgets/report_view.h"
#include "views/widgets/search_box.h"
#include "views/widgets/tool_row.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QTabWidget;

namespace tilescope::views {

class MarksPanel;
class RangeField;
class RangePanel;
class RecordPanel;
class StatisticsPanel;

/// Lanes of boxes, or of tiles, over cycles above; statistics and steps of the visible (or
/// selected) range, details of the selected step and the user's marks below. The parts read what
/// they show; this class sets the execution and range, and keeps the selection.
class TraceView : public ReportView {
    Q_OBJECT
public:
    explicit TraceView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override { search_->focus(); }
    [[nodiscard]] ZoomRange* axis() override { return canShow() ? &context().timeZoom : nullptr; }
    void setLook(TraceLook look) { look_->setCurrentIndex(static_cast<int>(look)); }
    [[nodiscard]] TraceLook look() const { return static_cast<TraceLook>(look_->currentIndex()); }
    [[nodiscard]] TracePlot& plot() { return lanes_->plot(); }
    [[nodiscard]] LanesPane& lanes() { return *lanes_; }
    [[nodiscard]] TilesPane& tiles() { return *tiles_; }
    [[nodiscard]] TracksPane& tracks() { return *tracks_; }
    [[nodiscard]] RangeField& range() { return *range_; }
    [[nodiscard]] RangePanel& inRange() { return *inRange_; }
    [[nodiscard]] MarksModel& marks() { return *marks_; }
    [[nodiscard]] MarksPanel& marksPanel() { return *marksPanel_; }
    [[nodiscard]] SearchBox& search() { return *search_; }
    void goToOperation(OperationId operation, bool target) override;
    [[nodiscard]] std::int64_t selectedStep() const { return selected_.step; }
    [[nodiscard]] const std::optional<CycleRange>& selectedRange() const { return selected_.range; }
    /// The button that shows and hides what the host did before the first run.
    [[nodiscard]] QToolButton& compilation() { return *compilation_; }

protected:
    void reload() override;
    void followSelection() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTop();
    QWidget* makeTabs();
    QWidget* makeRange();
    ToolRow* makeTools();
    void makeOptions(ToolRow& tools);
    QWidget* makeColours();
    void connectMarks(int tab);

    // What is shown
    void showNothing();
    void showRun(int choice);
    void changeLook();
    void changeHost();
    /// Adds a tab for the program's graphs, if there are any.
    void showRecord(std::shared_ptr<const HostRecord> record, double clockHz);
    void updateLegend();
    /// Shows a notice if the host called the model more often than the trace has runs of it.
    void showCalls(std::int64_t calls);
    void loadPlots();
    void loadStatistics();
    [[nodiscard]] bool canShow() const;
    /// The first of the chosen IPUs; none if all are chosen.
    [[nodiscard]] IpuId ipu() const { return ipu_->ipus().first(); }
    [[nodiscard]] TraceQuestion question() const;
    /// The begin of the axis: that of the compilation if it is shown, else the first run.
    [[nodiscard]] double firstCycle() const;
    /// The end of the execution, or of the program's records if the compilation is shown.
    [[nodiscard]] double lastCycle() const;
    [[nodiscard]] const ProfileViewPtr& profileOf(bool target) const;
    [[nodiscard]] bool onlyTarget() const { return onlyTargetRan(profiles()); }
    [[nodiscard]] const ProfileViewPtr& executed() const { return executedOf(profiles()); }

    // What is selected
    void showStep(std::int64_t step, bool target);
    void stepRead(const ReadStep& read);
    void goToProgram(ProgramId program);
    void findOperation(OperationId operation, bool target);
    void findStep(bool forward);
    void findBeside(bool forward);
    void countMatches();
    void showAround(const ExecutedStep& step);
    void showCall(const std::optional<ExecutedCall>& call);
    void selectRange(std::optional<CycleRange> range);
    void selectRangeByKey();
    void dropRange();
    /// Outlines all boxes of a row's steps.
    void markExecutions(const RangeRow& row, CycleRange range);
    void setMarkers(const std::vector<PlotWidget::Marker>& markers, const SelectedSteps& steps);
    /// Marks cycles, or the boxes of a step that runs in them.
    void mark(std::optional<CycleRange> range, SelectedSteps steps = {});
    void fitCorner();
    void joinHistory();
    void joinMenus();
    void pointAt(const std::optional<QPoint>& position, const ShowMenu& show);
    [[nodiscard]] Pointed pointedBox(const std::optional<QPoint>& position);
    void addMark();
    void annotate(CycleRange range);
    void showMark(const TraceFlag& mark);
    void goToMark(bool forward);
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool keyPressed(const QKeyEvent& event);

    LanesPane* lanes_;
    TilesPane* tiles_;
    TracksPane* tracks_;
    TraceStrip* strip_;
    WrappedLabel* notice_; ///< that the source has no execution, where the target has one
    LegendBar* legend_;
    WrappedLabel* calls_; ///< see showCalls()
    LoadingPanel* panel_;
    MarksModel* marks_;
    StepFinder* finder_;
    BackgroundQuery menuQuery_;
    BackgroundQuery executionsQuery_;
    StepPanel* step_;
    QStackedWidget* plots_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    RangeField* range_ = nullptr;
    QComboBox* look_ = nullptr;
    IpuField* ipu_ = nullptr;
    QComboBox* colours_ = nullptr;
    QComboBox* run_ = nullptr;
    QToolButton* compilation_ = nullptr; ///< what the host did before the first run
    SearchBox* search_ = nullptr;
    QAction* showsHost_ = nullptr;
    QAction* showsRuns_ = nullptr;
    QAction* showsSyncs_ = nullptr;
    StatisticsPanel* statistics_ = nullptr;
    RangePanel* inRange_ = nullptr;
    MarksPanel* marksPanel_ = nullptr;
    RecordPanel* record_ = nullptr;
    struct Chosen {
        friend bool operator==(const Chosen&, const Chosen&) = default;
        std::optional<CycleRange> range;
        std::optional<CycleRange> marked; ///< what is marked in all plots
        SelectedSteps boxes;              ///< if a step is marked: outlined boxes by lane
        std::int64_t step = -1;           ///< execution index in its profile
        bool inTarget = false;
        QString name;      ///< of the step, for a mark
        ProgramId program; ///< of the selection that other reports share
        /// The step to search from in the execution of the source or target.
        [[nodiscard]] std::int64_t stepOf(bool target) const {
            return inTarget == target ? step : -1;
        }
    } selected_;
    void restore(const Chosen& chosen);
    /// The step that is read again because a step back has restored it: the plots do not move.
    std::optional<std::int64_t> restored_;
    struct WantedOperation {
        OperationId operation;
        bool target = false;
    };
    std::optional<WantedOperation> wanted_; ///< to be shown when the execution is read
    Hosts hosts_;
    double executionEnd_ = 0;
    RunChoices runs_;
    std::optional<double> shownMark_; ///< the cycle of the mark that was shown last
};

} // namespace tilescope::views
