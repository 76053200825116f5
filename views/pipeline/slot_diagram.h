// The schedule of a pipeline: stages over slots.
#pragma once

#include "views/pipeline/pipeline_content.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// The colour of a piece; all of them distinguishable by the colour-blind.
QColor workColour(const Theme& theme, SlotWork work);
/// For a slot in which a stage has nothing to run.
QColor idleColour(const Theme& theme);

/// A lane for each stage, a column for each slot, main slots once with their count; at the right
/// the share of the step in which each IPU runs its stage. A click or the arrow keys choose a
/// program; a double click or Enter goes to its place in the trace.
class SlotDiagram : public PaintedWidget {
    Q_OBJECT
public:
    explicit SlotDiagram(ViewContext& context, QWidget* parent = nullptr);

    void setSide(PipelineSide side);
    void setWidths(SlotWidths widths);
    /// Determines the width of a unit: with equal scales equally long work is equally wide.
    struct Scale {
        double units = 0; ///< to be placed
        int gaps = 0;     ///< pixels between parts
        int right = 0;    ///< pixels beside them
    };
    /// The scale that fills the width.
    [[nodiscard]] Scale ownScale() const;
    void setScale(const Scale& scale);
    [[nodiscard]] const PipelineSide& side() const { return side_; }
    [[nodiscard]] const SlotLayout& schedule() const { return layout_; }
    /// The chosen piece, or -1.
    [[nodiscard]] int chosen() const { return chosen_; }
    void choose(int piece);
    /// Where a piece is painted.
    [[nodiscard]] QRectF rectOf(int piece) const;

    static constexpr int leftMargin = 14;

    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// A piece was chosen by the user, or none (-1).
    void pieceChosen(int piece);
    /// The user wants to go to the piece's place in the trace.
    void pieceActivated(int piece);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    void relayout();
    void paintGroups(QPainter& painter) const;
    void paintLanes(QPainter& painter) const;
    void paintPieces(QPainter& painter) const;
    void paintOccupancy(QPainter& painter) const;
    [[nodiscard]] int pieceUnder(const QPointF& position) const;
    [[nodiscard]] double pixelOf(double position) const;
    [[nodiscard]] double laneTop(std::size_t stage) const;
    [[nodiscard]] int labelWidth() const;
    [[nodiscard]] bool hasOccupancy() const;
    /// The width of the column of shares at the right.
    [[nodiscard]] int occupancyWidth() const;

    PipelineSide side_;
    SlotWidths widths_ = SlotWidths::Cycles;
    SlotLayout layout_;
    Scale scale_;
    int chosen_ = -1;
};

} // namespace tilescope::views
