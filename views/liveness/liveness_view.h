// The liveness report: bytes in use at each step of the program.
#pragma once

#include "core/analysis/selection.h"
#include "views/plot/series/step_plot.h"
#include "views/tables/table_panel.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

class QTabWidget;

namespace tilescope::views {

/// Plot over program steps above, what is live at the selected step below.
class LivenessView : public ReportView {
    Q_OBJECT
public:
    explicit LivenessView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] StepPlot& plot() { return *plot_; }

protected:
    void reload() override;
    void shown() override { followSelection(); }
    void restyle() override;

private:
    enum Tab { AlwaysLive, NotAlwaysLive, Vertices, Cycles };
    ToolRow* makeTools();
    void fillSources();
    void loadPlot();
    void loadTab();
    void followSelection();
    void findStep();
    void markStep();
    void selectStep(StepId step);
    [[nodiscard]] StepId selectedStep() const;
    [[nodiscard]] TileSelection tiles() const;
    [[nodiscard]] QString readOut(double x) const;

    StepPlot* plot_;
    LoadingPanel* plotPanel_;
    QComboBox* source_ = nullptr;
    QToolButton* alwaysLive_ = nullptr;
    QLineEdit* search_ = nullptr;
    QTabWidget* tabs_;
    TablePanel* tables_[4] = {};
    std::vector<std::string> stepNames_;
    StepId peak_;
    Selected shown_;
};

} // namespace tilescope::views
