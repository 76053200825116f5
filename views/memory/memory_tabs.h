// What is below the plot of the memory report: tables and addresses of the selected tiles.
#pragma once

#include <QTabWidget>
#include <array>

#include "core/target/selection.h"
#include "views/memory/address_pages.h"
#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Each tab reads its content when it is in front; selected tiles are its columns.
class MemoryTabs : public QTabWidget {
    Q_OBJECT
public:
    enum Tab { Details, Variables, Vertices, ComputeSets, Exchanges, Addresses, History };

    explicit MemoryTabs(ViewContext& context, QWidget* parent = nullptr);

    /// Other profiles are open.
    void reload();
    /// The selection has changed; reads again what depends on tiles.
    void followSelection();
    /// Puts the cursor into the filter of the tab; false if it has none.
    bool focusFilter();

    /// The variables selected in their table, at least the one that is selected everywhere.
    [[nodiscard]] std::vector<VariableId> variables() const;
    [[nodiscard]] TablePanel& table(Tab tab) { return *tables_[tab - Variables]; }
    [[nodiscard]] AddressMapPage& addresses() { return *addresses_; }
    [[nodiscard]] AddressHistoryPage& history() { return *history_; }

signals:
    void status(const QString& text);
    /// Other variables are selected in their table.
    void variablesChanged();

private:
    void makeTables();
    void loadTab();
    void loadDetails();
    void loadTable(Tab tab);
    [[nodiscard]] std::vector<TileSelection> columns() const;

    ViewContext& context_;
    LoadingPanel* detailsPanel_;
    ValueTreeView* details_;
    std::array<TablePanel*, 4> tables_{};
    AddressMapPage* addresses_;
    AddressHistoryPage* history_;
    Selected shown_; ///< the selection that the tabs show
};

} // namespace tilescope::views
