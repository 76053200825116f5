// What is below the plot of the liveness report.
#pragma once

#include <QTabWidget>
#include <array>

#include "core/target/selection.h"
#include "views/tables/table_panel.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Tables about the selected steps, tiles and variable; each is read when it is in front.
class LivenessTabs : public QTabWidget {
    Q_OBJECT
public:
    enum Tab { AlwaysLive, NotAlwaysLive, Vertices, Cycles, Tiles, VariableInfo };

    explicit LivenessTabs(ViewContext& context, QWidget* parent = nullptr);

    /// What the tables are about.
    struct About {
        std::vector<StepId> steps;
        TileSelection tiles;
        std::vector<TileId> chosenTiles;
        VariableId variable;
        friend bool operator==(const About&, const About&) = default;
    };
    void setAbout(About about);
    /// Reads the table in front again, such as when other profiles were opened.
    void reload();
    void focusFilter();

    /// The variables selected in the table in front, at least the one that is selected everywhere.
    [[nodiscard]] std::vector<VariableId> variables() const;
    [[nodiscard]] TablePanel& table(Tab tab) { return *tables_[tab]; }

signals:
    void variablesChanged();

private:
    void loadTable(Tab tab);
    void loadInfo();

    ViewContext& context_;
    std::array<TablePanel*, 5> tables_{};
    LoadingPanel* infoPanel_;
    ValueTreeView* info_;
    About about_;
};

} // namespace tilescope::views
