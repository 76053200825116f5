#include "views/plot/trace/tile_plottable.h"

namespace tilescope::views {
namespace {

constexpr double full = 255;
// A cell that is mostly idle is pale, but always to be seen.
constexpr double palest = 0.7;

QImage imageOf(const TileRaster& raster, const Theme& theme) {
    // A table, as a picture has millions of cells and few different ones.
    constexpr std::size_t shades = 256;
    std::vector<QRgb> colours(tileStates.size() * shades);
    for (const TileState state : tileStates) {
        const QColor colour = tileStateColour(theme, state);
        for (std::size_t busy = 0; busy < shades; ++busy)
            colours[static_cast<std::size_t>(state) * shades + busy] =
                mixed(colour, theme.surface, std::min(palest, 1 - static_cast<double>(busy) / full))
                    .rgb();
    }
    QImage image(raster.columns, raster.rows, QImage::Format_RGB32);
    for (int row = 0; row < raster.rows; ++row) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < raster.columns; ++column) {
            const TileRaster::Cell& cell = raster.at(column, row);
            pixels[column] = colours[static_cast<std::size_t>(cell.state) * shades + cell.busy];
        }
    }
    return image;
}

} // namespace

QColor tileStateColour(const Theme& theme, TileState state) {
    switch (state) {
    case TileState::Compute:
        return theme.kind(ProgramKind::OnTileExecute);
    case TileState::Exchange:
        return theme.kind(ProgramKind::DoExchange);
    case TileState::GlobalExchange:
        return theme.kind(ProgramKind::GlobalExchange);
    case TileState::StreamBegin:
        return theme.kind(ProgramKind::StreamCopyBegin);
    case TileState::StreamMid:
        return theme.kind(ProgramKind::StreamCopyMid);
    case TileState::StreamEnd:
        return theme.kind(ProgramKind::StreamCopyEnd);
    case TileState::Sync:
        return theme.kind(ProgramKind::Sync);
    case TileState::Wait:
        return mixed(theme.kind(ProgramKind::Sync), theme.surface, 0.75);
    case TileState::Idle:
        break;
    }
    return theme.surface;
}

TilePlottable::TilePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , theme_(theme) {
    connect(&theme, &ThemeSource::changed, this, &TilePlottable::colour);
}

void TilePlottable::setRasters(std::vector<PlacedRaster> rasters) {
    rasters_ = std::move(rasters);
    colour();
}

void TilePlottable::colour() {
    images_.clear();
    for (const PlacedRaster& placed : rasters_)
        images_.push_back(imageOf(placed.raster, theme_.current()));
}

void TilePlottable::draw(QCPPainter* painter) {
    for (std::size_t i = 0; i < rasters_.size(); ++i) {
        const PlacedRaster& placed = rasters_[i];
        const QRectF where(
            QPointF(keyAxis()->coordToPixel(placed.from), valueAxis()->coordToPixel(placed.top)),
            QPointF(keyAxis()->coordToPixel(placed.to), valueAxis()->coordToPixel(placed.bottom)));
        // Only the part in sight: a stretched picture would be painted far beyond the plot.
        const QRectF seen = where & QRectF(clipRect());
        if (seen.isEmpty() || images_[i].isNull())
            continue;
        const double x = images_[i].width() / where.width();
        const double y = images_[i].height() / where.height();
        painter->drawImage(seen, images_[i],
                           QRectF((seen.left() - where.left()) * x, (seen.top() - where.top()) * y,
                                  seen.width() * x, seen.height() * y));
    }
}

} // namespace tilescope::views
