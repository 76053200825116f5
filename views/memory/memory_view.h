// The memory report: bytes on every tile, and what they are.
#pragma once

#include "core/analysis/memory/memory_plot.h"
#include "views/memory/film_page.h"
#include "views/memory/memory_tabs.h"
#include "views/memory/tile_map.h"
#include "views/plot/series/step_plot_pair.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

class QStackedWidget;

namespace tilescope::views {

/// Plot over tiles or map of the chips above, tables for the selected tiles below.
class MemoryView : public ReportView {
    Q_OBJECT
public:
    enum Graph { TotalMemory, SelectedVariables, Map, Film };

    explicit MemoryView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;
    [[nodiscard]] ZoomRange* axis() override { return &plot().zoom(); }

    [[nodiscard]] StepPlot& plot() { return plots_->first(); }
    [[nodiscard]] StepPlotPair& plots() { return *plots_; }
    [[nodiscard]] TileMap& map() { return *map_; }
    [[nodiscard]] FilmPage& film() { return *film_; }
    [[nodiscard]] MemoryTabs& tabs() { return *tabs_; }

protected:
    void reload() override;
    void followSelection() override;
    void restyle() override { loadGraph(); }

private:
    ToolRow* makeTools();
    void addPlotControls(ToolRow& tools);
    void addMapControls(ToolRow& tools);
    void showControls();
    void connectGraphs();
    void fillIpus();
    void fillQuantities();
    void loadGraph();
    void loadPlots();
    void loadVariables();
    void loadMap();
    void showNoVariable();
    void save();
    void ipuChosen(int index);
    void clicked(double x, Qt::KeyboardModifiers modifiers);
    void chooseTile(TileId tile, Qt::KeyboardModifiers modifiers);
    void tilesTyped();
    void markSelection();
    void joinMenus();
    [[nodiscard]] Graph graph() const { return static_cast<Graph>(graph_->currentIndex()); }
    [[nodiscard]] MemoryPlotOptions options() const;
    [[nodiscard]] TileQuantity quantity() const;
    [[nodiscard]] QString readOut(StepPlot& plot, double x) const;

    StepPlotPair* plots_;
    TileMap* map_;
    FilmPage* film_;
    QStackedWidget* graphs_;
    LoadingPanel* graphPanel_;
    ToolRow* tools_ = nullptr;
    QComboBox* graph_ = nullptr;
    QComboBox* breakdown_ = nullptr;
    QComboBox* order_ = nullptr;
    QComboBox* quantity_ = nullptr;
    QComboBox* scale_ = nullptr;
    QComboBox* range_ = nullptr;
    QComboBox* ipu_ = nullptr;
    QToolButton* gaps_ = nullptr;
    QToolButton* limit_ = nullptr;
    QLineEdit* tiles_ = nullptr;
    MemoryTabs* tabs_;
    Selected shown_; ///< the selection that the graph shows
};

} // namespace tilescope::views
