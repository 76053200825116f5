// The two tabs about the addresses of the selected tile, for one or two profiles.
#pragma once

#include "views/memory/address_history.h"
#include "views/memory/address_map.h"
#include "views/plot/legend_bar.h"
#include "views/widgets/loading_panel.h"

class QCheckBox;

namespace tilescope::views {

/// The address map of a tile; of source and target side by side.
class AddressMapPage : public LoadingPanel {
    Q_OBJECT
public:
    explicit AddressMapPage(ViewContext& context, QWidget* parent = nullptr);
    /// Reads the placement of a tile; of the fullest one if it is none.
    void loadTile(TileId tile);
    /// Follows variable and step of the selection.
    void followSelection();
    [[nodiscard]] AddressMap& source() { return *maps_[0]; }
    [[nodiscard]] AddressMap& target() { return *maps_[1]; }

signals:
    void variableClicked(VariableId variable);
    void hovered(const QString& text);

private:
    ViewContext& context_;
    AddressMap* maps_[2] = {};
    QCheckBox* onlyStep_;
    LegendBar* legend_;
};

/// Addresses over program steps; of source above target, which zoom together.
class AddressHistoryPage : public LoadingPanel {
    Q_OBJECT
public:
    explicit AddressHistoryPage(ViewContext& context, QWidget* parent = nullptr);
    void loadTile(TileId tile);
    void followSelection();
    [[nodiscard]] AddressHistory& source() { return *plots_[0]; }
    [[nodiscard]] AddressHistory& target() { return *plots_[1]; }

signals:
    void hovered(const QString& text);

private:
    ViewContext& context_;
    ZoomRange zoom_;
    AddressHistory* plots_[2] = {};
    LegendBar* legend_;
};

} // namespace tilescope::views
