// The tiles of all IPUs where they are on their chips, coloured by a figure.
#pragma once

#include <QImage>

#include "views/memory/tile_map_content.h"
#include "views/memory/tile_map_layout.h"
#include "views/theme/colour_scale.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Shows source, target and their difference side by side. A click selects the tile, Shift-click
/// adds it to the selection; arrow keys walk over the chip and Enter selects. The tiles are painted
/// once for each content, size and colours; from frame to frame only those that change.
class TileMap : public PaintedWidget {
    Q_OBJECT
public:
    explicit TileMap(ViewContext& context, QWidget* parent = nullptr);

    /// The values at the ends of the colour scale.
    enum class Range { TileMemory, ZeroToLargest, SmallestToLargest };

    void setContent(TileMapContent content);
    /// Other values of the one side that is shown, on the scale of the content.
    void setFrame(const std::vector<std::int64_t>& values);
    void setScale(ColourScale scale);
    void setRange(Range range);
    /// Shows one IPU only, or all if it is invalid.
    void setIpu(IpuId ipu);
    void setSelected(std::vector<TileId> tiles);

    [[nodiscard]] const TileMapContent& content() const { return content_; }
    /// Where a tile of a side is on the widget.
    [[nodiscard]] QRectF tileRect(std::size_t side, TileId tile) const;
    /// The tile at a position of the widget; none outside tiles, or if the source has no such tile.
    [[nodiscard]] TileId tileAt(const QPointF& position) const;
    /// The colour of a value.
    [[nodiscard]] QColor colourOf(const TileMapSide& side, std::int64_t value) const;
    [[nodiscard]] QSize sizeHint() const override { return {600, 320}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {300, 160}; }

signals:
    void tileClicked(TileId tile, Qt::KeyboardModifiers modifiers);
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override { invalidate(); }
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent*) override {
        said_.reset();
        emit hovered({});
    }

private:
    struct At {
        std::size_t side = 0;
        TileId tile;
    };
    struct Said {
        At at;
        QString tip;
        QPoint position; ///< global
    };
    void invalidate();
    void lay();
    void paintAll();
    void paintTitles(QPainter& painter) const;
    void placeBoxes(double ratio);
    void fillBox(const QRect& box, QRgb colour);
    [[nodiscard]] QRgb quickColourOf(const TileMapSide& side, std::int64_t value) const;
    [[nodiscard]] QString textOf(std::int64_t value, bool difference) const;
    void paintMarks(QPainter& painter) const;
    void paintKey(QPainter& painter) const;
    void paintScaleBar(QPainter& painter, const QRect& bar, bool difference) const;
    void say(const At& at, const QPoint& globalPosition);
    void sayAgain();
    [[nodiscard]] bool isOfSource(TileId tile) const;
    [[nodiscard]] std::optional<At> at(const QPointF& position) const;
    [[nodiscard]] std::int32_t firstIpu() const { return ipu_.valid() ? ipu_.value() : 0; }
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
    [[nodiscard]] QString textOf(const At& at) const;

    TileMapContent content_;
    ColourScale scale_ = ColourScale::Viridis;
    Range range_ = Range::TileMemory;
    IpuId ipu_;
    std::vector<TileId> selected_;
    std::vector<TileMapLayout> layouts_;    ///< of each side
    QImage tiles_;                          ///< painted tiles; null if they have to be painted anew
    std::vector<std::vector<QRect>> boxes_; ///< of each side's tiles in tiles_; empty if hidden
    std::vector<QRgb> colours_;             ///< of the scale, from little to much
    double frameMs_ = 0;                    ///< taken by frames that have not been painted yet
    std::optional<Said> said_;              ///< the last tool tip, while it is shown
    TileId cursor_;                         ///< moved by the arrow keys
};

} // namespace tilescope::views
