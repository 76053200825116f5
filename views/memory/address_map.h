// Where everything lies on one tile: addresses as rows of a map.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/memory/address_map.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// A variable at an address.
struct MapBlock {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    VariableId variable;
    MemoryCategory category = MemoryCategory::Variable;
    std::string name;
    bool alwaysLive = false;
    LivenessClass liveness; ///< when it is live, unless always
    [[nodiscard]] bool liveAt(StepId step) const { return alwaysLive || liveness.contains(step); }
};

/// What lies on a tile.
struct TileAddresses {
    std::vector<MapBlock> blocks;
    std::vector<AddressRange> gaps;
    std::vector<AddressSpan> spans; ///< of these blocks over the steps, where they are asked for
    std::vector<std::string> stepNames;
    std::int64_t limit = 0;
    std::int64_t rowBytes = 32768;
    std::int64_t base = 0;                      ///< address of offset 0
    std::int64_t interleavedOffset = 0;         ///< from here on elements are interleaved
    [[nodiscard]] std::int64_t highest() const; ///< offset of the highest address in use
};

/// The lines that name blocks: "weights (2.00 KiB, always live)".
QStringList blockLines(const std::vector<const MapBlock*>& blocks, const Preferences& preferences);

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

/// Draws the memory of a tile, a row for each pair of memory elements, coloured by category; gaps
/// between variables are hatched. Variables that share addresses at different times lie on top of
/// each other, the largest below; at a single step those that are not live are only outlines. A
/// click selects a variable, arrow keys walk from one to the next.
class AddressMap : public PaintedWidget {
    Q_OBJECT
public:
    explicit AddressMap(ViewContext& context, QWidget* parent = nullptr);

    void setContent(TileAddresses content, const QString& title);
    void setSelected(VariableId variable);
    /// Shows only what is live at a step; everything if the step is invalid.
    void setStep(StepId step);
    [[nodiscard]] const TileAddresses& content() const { return content_; }
    /// The middle of a block's first piece on the widget.
    [[nodiscard]] QPoint placeOf(VariableId variable) const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void variableClicked(VariableId variable);
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paintRows(QPainter& painter) const;
    void paintGaps(QPainter& painter) const;
    void paintBlocks(QPainter& painter) const;
    [[nodiscard]] std::optional<AddressRange> gapAt(std::int64_t offset) const;
    [[nodiscard]] bool shows(const MapBlock& block) const {
        return !step_.valid() || block.liveAt(step_);
    }
    [[nodiscard]] int rows() const;
    [[nodiscard]] int mapWidth() const;
    [[nodiscard]] std::int64_t addressAt(const QPoint& position) const; ///< -1 outside
    [[nodiscard]] std::vector<const MapBlock*> blocksAt(std::int64_t offset) const;

    TileAddresses content_;
    QString title_;
    VariableId selected_;
    StepId step_;
};

} // namespace tilescope::views
