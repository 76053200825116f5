// Where chips and tiles are on the screen: geometry without painting.
#pragma once

#include <QRectF>
#include <optional>

#include "core/analysis/memory/floor_plan.h"

namespace tilescope::views {

/// Chips in rows of equal size, as large as the room allows, each with its tiles and a gap between
/// exchange columns.
class TileMapLayout {
public:
    /// `chips` in reading order; `perRow` of them side by side, 0 for what fits best.
    TileMapLayout(FloorPlan plan, int chips, int perRow, const QRectF& room);

    [[nodiscard]] const FloorPlan& plan() const { return plan_; }
    [[nodiscard]] int chips() const { return chips_; }
    /// The tiles of a chip, without its title.
    [[nodiscard]] QRectF chipRect(int chip) const;
    /// The line above a chip.
    [[nodiscard]] QRectF titleRect(int chip) const;
    /// `tileOnIpu` is a software id.
    [[nodiscard]] QRectF tileRect(int chip, std::int32_t tileOnIpu) const;
    [[nodiscard]] double cellWidth() const { return cell_.width(); }

    struct Hit {
        int chip = 0;
        std::int32_t tileOnIpu = 0;
    };
    [[nodiscard]] std::optional<Hit> hit(const QPointF& position) const;

    static constexpr double titleHeight = 20;
    static constexpr double spacing = 16;

private:
    [[nodiscard]] QSizeF cellFor(int perRow, const QSizeF& room) const;
    [[nodiscard]] double columnLeft(std::int32_t column) const;

    FloorPlan plan_;
    int chips_;
    int perRow_ = 1;
    QSizeF cell_;
    double columnGap_ = 0; ///< between exchange columns
    QPointF origin_;       ///< of the first chip's title
};

} // namespace tilescope::views
