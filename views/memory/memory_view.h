// The memory report: bytes on every tile, and what they are.
#pragma once

#include "core/analysis/memory_plot.h"
#include "core/analysis/selection.h"
#include "views/memory/address_map.h"
#include "views/plot/series/step_plot.h"
#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"
#include "views/widgets/tool_row.h"

class QTabWidget;
class QTreeView;

namespace tilescope::views {

/// Plot over tiles above, tables for the selected tiles below.
class MemoryView : public ReportView {
    Q_OBJECT
public:
    explicit MemoryView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override;

    [[nodiscard]] StepPlot& plot() { return *plot_; }
    void setBreakdown(MemoryBreakdown breakdown);
    /// Brings a table to the front by its section of `tilescope report`: "variables", "vertices",
    /// "exchanges"; others do nothing.
    void showSection(const QString& name);

protected:
    void reload() override;
    void shown() override { followSelection(); }
    void restyle() override { loadPlot(); }

private:
    enum Tab { Details, Variables, Vertices, ComputeSets, Exchanges, Addresses };
    ToolRow* makeTools();
    QWidget* makeTabs();
    void loadPlot();
    void loadTab();
    void loadDetails();
    void loadAddresses();
    void followSelection();
    void plotClicked(double x, Qt::KeyboardModifiers modifiers);
    void tilesTyped();
    void fillIpus();
    void markSelection();
    [[nodiscard]] MemoryPlotOptions options() const;
    [[nodiscard]] TileSelection tileSelection() const;
    [[nodiscard]] std::vector<TileSelection> columns() const;
    [[nodiscard]] QString readOut(double x) const;
    [[nodiscard]] QString addressTitle(TileId tile, const AddressMap::Content& content) const;

    StepPlot* plot_;
    LoadingPanel* plotPanel_;
    QComboBox* graph_ = nullptr;
    QComboBox* breakdown_ = nullptr;
    QComboBox* order_ = nullptr;
    QComboBox* ipu_ = nullptr;
    QToolButton* gaps_ = nullptr;
    QToolButton* limit_ = nullptr;
    QLineEdit* tiles_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    LoadingPanel* detailsPanel_ = nullptr;
    ValueTreeModel* details_ = nullptr;
    QTreeView* detailsView_ = nullptr;
    TablePanel* tables_[4] = {};
    LoadingPanel* addressPanel_ = nullptr;
    AddressMap* addresses_ = nullptr;
    Selected shown_; ///< the selection that the tabs show
};

} // namespace tilescope::views
