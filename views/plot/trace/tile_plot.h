// The plot of what every tile does: IPUs below each other, tiles downwards.
#pragma once

#include <QHash>
#include <QStaticText>

#include "views/plot/trace/cycle_plot.h"
#include "views/plot/trace/tile_plottable.h"

namespace tilescope::views {

/// A CyclePlot whose vertical axis counts tiles, lane below lane. The wheel zooms in
/// time, with Ctrl in tiles; shift-wheel and the scroll bar move over the tiles, + and - zoom in
/// them.
class TilePlot : public CyclePlot {
    Q_OBJECT
public:
    explicit TilePlot(ViewContext& context, QWidget* parent = nullptr);

    /// The tiles of one IPU.
    struct Lane {
        QString name;
        std::int32_t tiles = 0;
    };
    /// Shows all tiles unless the lanes stay as they are.
    void setLanes(std::vector<Lane> lanes);
    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    /// Where a lane begins on the vertical axis.
    [[nodiscard]] double laneTop(std::size_t lane) const;
    /// A tile at a height; none between lanes.
    struct Place {
        std::size_t lane = 0;
        std::int32_t tile = -1; ///< on its IPU
    };
    [[nodiscard]] Place placeAt(double y) const;

    [[nodiscard]] ZoomRange& rows() { return rows_; }
    [[nodiscard]] TilePlottable& tiles() { return *tiles_; }

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintExtra(QPainter& painter) override;

private:
    [[nodiscard]] QStaticText layOutName(const QSize& room, const QString& name,
                                         const QString& tiles) const;
    const QStaticText& nameIn(const QSize& room, const QString& name, const QString& tiles);
    void showRows();
    [[nodiscard]] double laneGap() const;

    TilePlottable* tiles_; ///< owned by the plot
    ZoomRange rows_;
    std::vector<Lane> lanes_;
    QHash<QString, QStaticText> names_; ///< as they were painted last, in this font
    QFont namesFont_;
};

} // namespace tilescope::views
