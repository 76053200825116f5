// Rasters of tiles over time on a QCustomPlot.
#pragma once

#include <QImage>

#include "core/trace/tile_raster.h"
#include "views/plot/plottable.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// The colour of a state. Waiting has the pale colour of the sync that ends it.
QColor tileStateColour(const Theme& theme, TileState state);

/// A raster with its place: cycles [from, to), rows [top, bottom) of the value axis.
struct PlacedRaster {
    TileRaster raster;
    double from = 0;
    double to = 0;
    double top = 0;
    double bottom = 0;
};

/// Draws prepared pictures, so that a frame costs the same whatever it contains; old ones are
/// stretched until sharper ones arrive.
class TilePlottable : public Plottable {
    Q_OBJECT
public:
    TilePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme);

    void setRasters(std::vector<PlacedRaster> rasters);
    [[nodiscard]] const std::vector<PlacedRaster>& rasters() const { return rasters_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    void colour();

    const ThemeSource& theme_;
    std::vector<PlacedRaster> rasters_;
    std::vector<QImage> images_;
};

} // namespace tilescope::views
