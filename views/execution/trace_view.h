// The execution trace: what every IPU does in every cycle.
#pragma once

#include "views/execution/trace_content.h"
#include "views/plot/legend_bar.h"
#include "views/plot/overview_strip.h"
#include "views/plot/trace/trace_plot.h"
#include "views/tables/value_tree.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

class QTabWidget;
class QTreeView;

namespace tilescope::views {

class StatisticsPanel;

/// Lanes of boxes over cycles above, statistics of the visible (or selected) range and details of
/// the selected step below.
class TraceView : public ReportView {
    Q_OBJECT
public:
    explicit TraceView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] TracePlot& plot() { return *plot_; }

protected:
    void reload() override;
    void shown() override { followSelection(); }

private:
    ToolRow* makeTools();
    void fillRuns(const std::vector<TraceRun>& runs, const std::optional<FirstStep>& step);
    void showRun(int choice);
    QWidget* makeTop();
    QWidget* makeTabs();
    void loadOverview();
    void loadDetail();
    void loadStatistics();
    void loadDetails(std::int64_t step, bool target);
    void zoomChanged();
    void followSelection();
    void clicked(double x, double y);
    void doubleClicked(QMouseEvent* event);
    void goToProgram(ProgramId program, bool forward);
    void markStep(const ExecutedStep& step);
    void markCall(const ExecutedCall& call);
    void findStep();
    void updateLegend();
    void paintOverview(QPainter& painter, const QRect& rect) const;
    [[nodiscard]] TraceQuestion question() const;
    [[nodiscard]] QString readOut(double x, double y) const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    TracePlot* plot_;
    OverviewStrip* strip_;
    LegendBar* legend_;
    LoadingPanel* panel_;
    QComboBox* look_ = nullptr;
    QComboBox* ipu_ = nullptr;
    QComboBox* run_ = nullptr;
    QLineEdit* search_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    StatisticsPanel* statistics_ = nullptr;
    ValueTreeModel* details_ = nullptr;
    QTreeView* detailsView_ = nullptr;
    LoadingPanel* detailsPanel_ = nullptr;
    BackgroundQuery detailQuery_;
    BackgroundQuery statisticsQuery_;
    BackgroundQuery findQuery_;
    bool detailWanted_ = false;     ///< the zoom moved while detail was being read
    bool statisticsWanted_ = false; ///< likewise for statistics
    std::optional<CycleRange> selectedRange_;
    std::int64_t selectedStep_ = -1; ///< execution index in the source
    ProgramId shownProgram_;
    std::vector<TraceRun> runs_;
    std::optional<FirstStep> firstStep_; ///< last of the choices, if there is one
};

} // namespace tilescope::views
