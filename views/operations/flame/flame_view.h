// A flame graph: boxes as wide as what they cost, what they are made of below them.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <vector>

#include "core/analysis/flame/flame_tree.h"
#include "views/session/view_context.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::views {

/// The root is at the top. A click chooses a box and zooms to it; Escape goes back to the zoom
/// before. Arrow keys go to the parent, the widest child and the neighbours, Enter zooms, Home
/// shows everything. A search marks boxes and dims the others.
class FlameView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit FlameView(ViewContext& context, QWidget* parent = nullptr);

    /// Null for none. `clockHz`: of the profile.
    void setTree(std::shared_ptr<const FlameTree> tree, double clockHz);
    [[nodiscard]] const FlameTree* tree() const { return tree_.get(); }
    /// Marks the boxes that a search finds. Returns their number.
    int mark(const TextMatcher& wanted);
    /// Chooses the next marked box, or the one before, in sight or not.
    void stepMatch(bool forward);
    /// The number of the chosen box among the marked ones, from 1; 0 if it is none of them.
    [[nodiscard]] int matchNumber() const;
    [[nodiscard]] int matches() const;
    /// The weight of the marked boxes, each part counted once.
    [[nodiscard]] std::int64_t markedWeight() const;
    /// Outlines the boxes of an operation and its line.
    void select(OperationId operation, SourceFrameId frame);
    /// The box that was chosen; none: the root.
    [[nodiscard]] FlameNodeId chosen() const { return chosen_; }
    [[nodiscard]] FlameNodeId zoomed() const { return zoomed_; }
    void zoomTo(FlameNodeId node);
    /// Back to the zoom before; false if there is none.
    bool zoomBack();
    /// Where a box is painted in the viewport; empty if it is outside of the zoom.
    [[nodiscard]] QRectF boxOf(FlameNodeId node) const;
    [[nodiscard]] FlameNodeId nodeAt(const QPoint& position) const;
    [[nodiscard]] QString textOf(FlameNodeId node) const;
    [[nodiscard]] QString weightText(std::int64_t weight) const;
    static QColor colourOf(const Theme& theme, const std::optional<ModelPhase>& pass);

signals:
    void chose(tilescope::FlameNodeId node);
    void hovered(const QString& text);
    void zoomChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] bool isAbove(FlameNodeId node, FlameNodeId of) const;
    [[nodiscard]] bool isOutlined(const FlameNode& node) const;
    void paintBox(QPainter& painter, FlameNodeId id, const QRectF& box) const;
    void choose(FlameNodeId node, bool zoom);
    [[nodiscard]] FlameNodeId neighbour(int direction) const;
    void setZoom(FlameNodeId node);
    void updateScrollBar();

    ViewContext& context_;
    std::shared_ptr<const FlameTree> tree_;
    double clockHz_ = 0;
    std::vector<std::size_t> ends_; ///< by node: after the last node below it
    std::vector<bool> marked_;      ///< by node; empty without a search
    std::vector<FlameNodeId> back_; ///< earlier zooms
    FlameNodeId zoomed_;
    FlameNodeId chosen_;
    OperationId operation_; ///< outlined
    SourceFrameId frame_;   ///< outlined
};

} // namespace tilescope::views
