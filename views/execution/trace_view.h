// The execution trace: what every IPU does in every cycle.
#pragma once

#include "views/execution/marks.h"
#include "views/execution/tiles_pane.h"
#include "views/execution/trace_content.h"
#include "views/plot/legend_bar.h"
#include "views/plot/overview_strip.h"
#include "views/plot/trace/trace_plot.h"
#include "views/tables/value_tree.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/search_box.h"
#include "views/widgets/tool_row.h"

class QAction;
class QStackedWidget;
class QTabWidget;
class QTreeView;

namespace tilescope::views {

class RangeField;
class StatisticsPanel;

/// Lanes of boxes, or of tiles, over cycles above; statistics of the visible (or selected) range,
/// details of the selected step and the user's marks below.
class TraceView : public ReportView {
    Q_OBJECT
public:
    explicit TraceView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    void setLook(TraceLook look);
    [[nodiscard]] TraceLook look() const;
    [[nodiscard]] TracePlot& plot() { return *plot_; }
    [[nodiscard]] TilesPane& tiles() { return *tiles_; }
    [[nodiscard]] OverviewStrip& strip() { return *strip_; }
    [[nodiscard]] RangeField& range() { return *range_; }
    [[nodiscard]] MarksModel& marks() { return *marks_; }
    [[nodiscard]] SearchBox& search() { return *search_; }
    [[nodiscard]] const StatisticsPanel& statistics() const { return *statistics_; }
    [[nodiscard]] const ValueTreeModel& details() const { return *details_; }
    void goToOperation(OperationId operation, bool target) override;
    [[nodiscard]] std::int64_t selectedStep() const { return selectedStep_; }
    [[nodiscard]] const std::optional<CycleRange>& selectedRange() const { return selectedRange_; }
    /// Turns what the host did before the first run on and off.
    [[nodiscard]] QToolButton& compilation() { return *compilation_; }

protected:
    void reload() override;
    void shown() override { followSelection(); }

private:
    // Controls
    ToolRow* makeTools();
    QWidget* makeTop();
    QWidget* makeRange();
    QWidget* makeTabs();
    QToolButton* makeOptions(ToolRow& tools);
    void updateLegend();
    void paintOverview(QPainter& painter, const QRect& rect) const;

    // Reading
    void fillIpus();
    void fillRuns(const std::vector<TraceRun>& runs, const std::optional<FirstStep>& step);
    void showRun(int choice);
    void showCompilation();
    /// Of the axis: where the compilation begins if it is shown, else the first run.
    [[nodiscard]] double firstCycle() const;
    /// Whole cycles of a range, within the axis.
    [[nodiscard]] CycleRange cyclesOf(double from, double to) const;
    void showNothing();
    void changeLook();
    void loadOverview();
    void loadDetail();
    void loadStatistics();
    void zoomChanged();
    [[nodiscard]] bool canShow() const;
    [[nodiscard]] TraceQuestion question() const;

    // Steps
    void loadDetails(std::int64_t step, bool target);
    void showStep(const ExecutedStep& step, ValueTree tree, const Selected& wanted, bool target);
    void followSelection();
    void goToProgram(ProgramId program);
    void findOperation(OperationId operation, bool target);
    void showAround(const ExecutedStep& step);
    void markStep(const ExecutedStep& step);
    void markCall(const ExecutedCall& call);
    void selectRange(std::optional<CycleRange> range);
    void selectRangeByKey();
    void stepBeside(bool forward);
    void clicked(double x, double y);
    void loadCopy(std::int64_t begin, bool target);
    void doubleClicked(QMouseEvent* event);
    [[nodiscard]] QString readOut(double x, double y) const;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool keyPressed(const QKeyEvent& event);

    // Search and marks
    void countMatches();
    void findStep(bool forward);
    void addMark();
    void goToMark(bool forward);
    void showCycle(double cycle);

    TracePlot* plot_;
    TilesPane* tiles_;
    OverviewStrip* strip_;
    LegendBar* legend_;
    LoadingPanel* panel_;
    MarksModel* marks_;
    QStackedWidget* plots_ = nullptr;
    QComboBox* look_ = nullptr;
    QComboBox* ipu_ = nullptr;
    QComboBox* run_ = nullptr;
    QToolButton* compilation_ = nullptr;
    QAction* showsHost_ = nullptr;
    QAction* showsRuns_ = nullptr;
    QAction* showsSyncs_ = nullptr;
    QAction* showsNames_ = nullptr;
    RangeField* range_ = nullptr;
    SearchBox* search_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    StatisticsPanel* statistics_ = nullptr;
    ValueTreeModel* details_ = nullptr;
    QTreeView* detailsView_ = nullptr;
    LoadingPanel* detailsPanel_ = nullptr;
    BackgroundQuery detailQuery_;
    BackgroundQuery statisticsQuery_;
    BackgroundQuery findQuery_;
    BackgroundQuery countQuery_;
    bool detailWanted_ = false;     ///< the zoom moved while detail was being read
    bool statisticsWanted_ = false; ///< likewise for statistics
    std::optional<CycleRange> selectedRange_;
    std::optional<CycleRange> marked_; ///< what the band over the plot shows
    std::int64_t selectedStep_ = -1;   ///< execution index in its profile
    bool selectedInTarget_ = false;
    QString selectedName_;            ///< of the step, for a mark
    std::optional<double> shownMark_; ///< cycle that the keys have gone to
    ProgramId shownProgram_;
    struct WantedOperation {
        OperationId operation;
        bool target = false;
    };
    std::optional<WantedOperation> wanted_; ///< to be shown when the execution is read
    Hosts hosts_;
    std::vector<TraceRun> runs_;
    std::vector<TraceRow> stripRows_;    ///< of each lane, all steps coarsely
    std::optional<FirstStep> firstStep_; ///< last of the choices, if there is one
};

} // namespace tilescope::views
