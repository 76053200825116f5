// The liveness report: bytes in use at each step of the program.
#pragma once

#include "core/target/selection.h"
#include "views/liveness/lifetime_strip.h"
#include "views/liveness/liveness_content.h"
#include "views/liveness/liveness_tabs.h"
#include "views/plot/series/step_plot_pair.h"
#include "views/tables/plot_over_table.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {

/// Plot over program steps above, what is live at the selected steps below. The last selected step
/// is the window's; Shift-click adds others, which only this report knows.
class LivenessView : public ReportView {
    Q_OBJECT
public:
    explicit LivenessView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] ZoomRange* axis() override { return &plot().zoom(); }

    [[nodiscard]] StepPlot& plot() { return plots_->first(); }
    [[nodiscard]] StepPlotPair& plots() { return *plots_; }
    [[nodiscard]] LifetimeStrip& lifetimes() { return *lifetimes_; }
    [[nodiscard]] LivenessTabs& tabs() { return *tabs_; }
    [[nodiscard]] QLineEdit& filter() { return *filter_; }
    [[nodiscard]] const std::vector<StepId>& steps() const { return steps_; }
    /// Two profiles below each other instead of overlaid.

protected:
    void reload() override;
    void followSelection() override;
    void restyle() override;

private:
    ToolRow* makeTools();
    void connectPlot(StepPlot& plot);
    void addSource(const QString& text, int kind, int id);
    void fillSources();
    void addFullestTiles(const std::vector<TileId>& tiles);
    void loadPlot();
    void showPlot(LivenessContent content);
    void showAlignment(bool aligned);
    void labelSteps();
    void loadLifetimes();
    void nextStep();
    void markSteps();
    void clicked(double x, Qt::KeyboardModifiers modifiers);
    void selectStep(StepId step);
    void announceSteps();
    void save();
    [[nodiscard]] bool wantsSelectedTile() const;
    [[nodiscard]] TileSelection tiles() const;
    [[nodiscard]] QString readOut(double x) const;
    void tellTabs();

    StepPlotPair* plots_;
    LifetimeStrip* lifetimes_;
    LoadingPanel* plotPanel_;
    BackgroundQuery lifetimeQuery_;
    ToolRow* tools_ = nullptr;
    QComboBox* source_ = nullptr;
    QToolButton* alwaysLive_ = nullptr;
    QToolButton* limit_ = nullptr;
    QToolButton* apart_ = nullptr;
    QComboBox* align_ = nullptr;
    QLineEdit* filter_ = nullptr;
    LivenessTabs* tabs_;
    PlotOverTable* split_ = nullptr;
    StepList sourceSteps_;
    StepList targetSteps_;
    StepId peak_;
    bool alignChosen_ = false;  ///< by the user; else automatic
    std::vector<StepId> steps_; ///< selected ones; the last is the selection's
    Selected shown_;
};

} // namespace tilescope::views
