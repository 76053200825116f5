// Where everything lies on one tile: addresses as rows of a map.
#pragma once

#include <QWidget>
#include <vector>

#include "views/session/view_context.h"

namespace tilescope::views {

/// A variable at an address.
struct MapBlock {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    VariableId variable;
    MemoryCategory category = MemoryCategory::Variable;
    std::string name;
    bool alwaysLive = false;
};

/// A piece of a block on one row of the map, in pixels from the row's left end.
struct MapPiece {
    int row = 0;
    double x0 = 0;
    double x1 = 0;
    std::size_t block = 0;
};

/// Cuts blocks into rows of `rowBytes` that are `width` pixels wide.
std::vector<MapPiece> mapPieces(const std::vector<MapBlock>& blocks, std::int64_t rowBytes,
                                double width);

/// Draws the memory of a tile, a row for each pair of memory elements, coloured by category.
/// Variables that share addresses at different times lie on top of each other, the largest below.
class AddressMap : public QWidget {
    Q_OBJECT
public:
    explicit AddressMap(ViewContext& context, QWidget* parent = nullptr);

    struct Content {
        QString title;
        std::vector<MapBlock> blocks;
        std::int64_t limit = 0;
        std::int64_t rowBytes = 32768;
        std::int64_t base = 0;              ///< address of offset 0
        std::int64_t interleavedOffset = 0; ///< from here on elements are interleaved
    };
    void setContent(Content content);
    void setSelected(VariableId variable);

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void variableClicked(VariableId variable);
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int rows() const;
    [[nodiscard]] int mapWidth() const;
    [[nodiscard]] std::int64_t addressAt(const QPoint& position) const; ///< -1 outside
    [[nodiscard]] std::vector<const MapBlock*> blocksAt(std::int64_t offset) const;

    ViewContext& context_;
    Content content_;
    VariableId selected_;
};

} // namespace tilescope::views
