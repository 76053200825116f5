// The schedule of a pipeline: stages over slots.
#pragma once

#include "views/pipeline/pipeline_content.h"
#include "views/widgets/painted_widget.h"

class QScrollBar;

namespace tilescope::views {

/// What the colours of pieces show.
enum class SlotColours : std::uint8_t { Pass, MicroBatch };

/// The colour of a piece; all of them distinguishable by the colour-blind.
QColor workColour(const Theme& theme, SlotWork work);
/// For a slot in which a stage has nothing to run.
QColor idleColour(const Theme& theme);

/// A lane for each stage, a column for each slot (with a bar to scroll many of them), or main slots
/// once with their count; at the right the share of the step in which each IPU runs its stage. A
/// click or the arrow keys choose a program; a double click or Enter goes to its place in the
/// trace. A micro-batch that is followed is joined by a line, and all others are dimmed.
class SlotDiagram : public PaintedWidget {
    Q_OBJECT
public:
    explicit SlotDiagram(ViewContext& context, QWidget* parent = nullptr);

    void setSide(PipelineSide side);
    void setWidths(SlotWidths widths);
    void setNumbers(SlotNumbers numbers);
    void setColours(SlotColours colours);
    /// Marks a micro-batch and scrolls to it; 0 for none.
    void follow(std::int64_t microBatch);
    [[nodiscard]] std::int64_t followed() const { return followed_; }
    /// The slots in sight, counted with repetitions.
    [[nodiscard]] SlotWindow window() const;
    /// The pieces of the followed micro-batch that are in sight, in the order in which they run.
    [[nodiscard]] std::vector<int> way() const;
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
    /// The slots as they are without another diagram beside them.
    [[nodiscard]] const SlotLayout& own() const { return own_; }
    /// Lets the slots begin where those of another diagram do; alone for none (nullptr).
    void setBeside(const SlotLayout* other);
    /// Shows the slots from this one on.
    void scrollTo(std::int64_t slot);
    /// The chosen piece, or -1.
    [[nodiscard]] int chosen() const { return chosen_; }
    void choose(int piece);
    /// Where a piece is painted.
    [[nodiscard]] QRectF rectOf(int piece) const;

    static constexpr int leftMargin = 14;

    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// Another part of the slots is in sight, and the scale that fills the width is another one.
    void scrolled();
    /// A piece was chosen by the user, or none (-1).
    void pieceChosen(int piece);
    /// The user wants to go to the piece's place in the trace.
    void pieceActivated(int piece);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    void relayout();
    /// Fits the scroll bar to the width.
    void fitWindow();
    /// Lays out the slots that the scroll bar shows, keeping the chosen piece.
    void showWindow();
    void bringIntoSight(SlotWindow wanted);
    void go(int along, int across);
    [[nodiscard]] int fittingSlots() const;
    [[nodiscard]] QColor colourOf(const SlotPiece& piece) const;
    void paintWay(QPainter& painter) const;
    void paintGroups(QPainter& painter) const;
    /// How many slots of a part are in sight.
    [[nodiscard]] QString slotsText(const SlotGroup& group) const;
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

    // Pixels, but `dimmed`.
    static constexpr int laneHeight = 26;
    static constexpr int laneGap = 4;
    static constexpr int headerHeight = 40; // two lines: the part, how often
    static constexpr int rightMargin = 12;
    static constexpr int bottomMargin = 8;
    static constexpr int narrowestSlot = 22;
    static constexpr int labelledSlot = 34; // at least, for two numbers beside each other
    static constexpr int scrollGap = 6;
    static constexpr double dimmed = 0.72; // towards the surface
    static constexpr int groupGap = 6;
    static constexpr int occupancyBar = 56; // pixels
    static constexpr int occupancyGap = 14;

    PipelineSide side_;
    SlotWidths widths_ = SlotWidths::Cycles;
    SlotNumbers numbers_ = SlotNumbers::MicroBatches;
    SlotColours colours_ = SlotColours::Pass;
    QScrollBar* scroll_; ///< hidden while all slots are in sight
    std::int64_t followed_ = 0;
    SlotLayout own_;
    SlotLayout layout_; ///< beside another diagram's
    Scale scale_;
    int chosen_ = -1;
};

} // namespace tilescope::views
