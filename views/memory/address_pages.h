// The two tabs about the addresses of the selected tile, for one or two profiles.
#pragma once

#include <array>

#include "views/memory/address_history.h"
#include "views/plot/legend_bar.h"
#include "views/widgets/loading_panel.h"

class QCheckBox;

namespace tilescope::views {

/// Reads the addresses of a tile in each profile that has it.
class AddressPage : public LoadingPanel {
    Q_OBJECT
public:
    /// Loads the fullest tile if `tile` is invalid.
    void loadTile(TileId tile);
    /// Follows variable and step of the selection.
    virtual void followSelection() = 0;

signals:
    void hovered(const QString& text);

protected:
    AddressPage(ViewContext& context, bool overTime);
    /// Of source and target.
    using Sides = std::array<std::optional<TileAddresses>, 2>;
    virtual void show(TileId tile, Sides sides) = 0;
    [[nodiscard]] ViewContext& context() const { return context_; }
    [[nodiscard]] LegendBar* legend() const { return legend_; }

private:
    ViewContext& context_;
    bool overTime_;
    LegendBar* legend_; ///< the categories of what is shown
};

/// The address map of a tile; of source and target side by side.
class AddressMapPage : public AddressPage {
    Q_OBJECT
public:
    explicit AddressMapPage(ViewContext& context);
    void followSelection() override;
    [[nodiscard]] AddressMap& source() { return *maps_[0]; }
    [[nodiscard]] AddressMap& target() { return *maps_[1]; }

signals:
    void variableClicked(VariableId variable);

private:
    void show(TileId tile, Sides sides) override;

    std::array<AddressMap*, 2> maps_{};
    QCheckBox* onlyStep_;
};

/// Addresses over program steps; of source above target, which zoom together.
class AddressHistoryPage : public AddressPage {
    Q_OBJECT
public:
    explicit AddressHistoryPage(ViewContext& context);
    void followSelection() override;
    [[nodiscard]] AddressHistory& source() { return *plots_[0]; }
    [[nodiscard]] AddressHistory& target() { return *plots_[1]; }

private:
    void show(TileId tile, Sides sides) override;

    ZoomRange zoom_;
    std::array<AddressHistory*, 2> plots_{};
};

} // namespace tilescope::views
