// The drawing of the model's graph.
#pragma once

#include <QTimer>
#include <optional>
#include <set>

#include "views/operations/graph/graph_colours.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Boxes, frames and edges of a scene. Drag pans, the wheel zooms at the pointer, F fits; a click
/// chooses, a double click expands or collapses. Arrow keys walk along edges and rows, Enter or +
/// expands, - collapses, Home chooses the first box. A map in the corner shows the visible part.
class GraphCanvas : public PaintedWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(ViewContext& context, QWidget* parent = nullptr);

    /// Shows another scene; `anchor` stays where it is on the screen, if it is in both. Without one
    /// the whole is fitted, if that can be read, or its beginning shown.
    void setScene(std::shared_ptr<const GraphScene> scene, const GraphItem& anchor);
    [[nodiscard]] const GraphScene* scene() const { return scene_.get(); }
    void setMetric(GraphMetric metric);
    /// Shapes and types of tensors on the lines, where there is room to read them.
    void setEdgeLabels(bool shown);
    [[nodiscard]] const std::optional<GraphColours>& colours() const { return colours_; }
    /// Nodes that a search has found; boxes that are or have one are marked.
    void setMatches(const std::vector<ModelNodeId>& nodes);

    [[nodiscard]] const GraphItem& chosen() const { return chosen_; }
    /// Marks an item; one that is not visible is kept for a scene that has it.
    void choose(const GraphItem& item);
    /// Moves a box into view, if it is not.
    void reveal(const GraphItem& item);
    void fit();
    /// The box at a position of the widget; none outside boxes.
    [[nodiscard]] GraphItem itemAt(const QPointF& position) const;

    /// Pixels for a unit of the scene.
    [[nodiscard]] double scale() const { return scale_; }
    /// The place of a box of the scene in the widget; empty if it is not visible.
    [[nodiscard]] QRectF screenRect(const GraphItem& item) const;
    /// The tool tip of an item.
    [[nodiscard]] QString describe(const GraphItem& item) const;
    /// Milliseconds that the last frame took.
    [[nodiscard]] double frameMs() const { return frameMs_; }

    [[nodiscard]] QSize sizeHint() const override { return {640, 480}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 160}; }

signals:
    /// The user chose an item, or nothing.
    void itemChosen(const GraphItem& item);
    /// The user wants a scope expanded or collapsed.
    void toggleWanted(GraphScopeId scope, bool expand);
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent*) override { emit hovered(QString()); }
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QPointF toScene(const QPointF& position) const;
    [[nodiscard]] QRectF visiblePart() const;
    void zoomAt(const QPointF& position, double factor);
    void moveBy(const QPointF& pixels);
    void keepInView();
    void moved();
    void fitScene();
    void walk(Qt::Key key);
    void wantToggle(const GraphItem& item, bool expand);
    void chooseByUser(const GraphItem& item);
    void recolour();
    [[nodiscard]] std::set<std::size_t> chosenEdges() const;

    // In graph_paint.cpp.
    void paintFrames(QPainter& painter, const QRectF& part) const;
    void paintWires(QPainter& painter, const QRectF& part) const;
    void paintEdgeLabels(QPainter& painter, const QRectF& part) const;
    void paintArrow(QPainter& painter, const PlacedWire& wire) const;
    void paintBoxes(QPainter& painter, const QRectF& part) const;
    void paintBox(QPainter& painter, std::size_t box, bool withText) const;
    void paintMap(QPainter& painter) const;
    [[nodiscard]] QRectF mapRect() const;
    [[nodiscard]] bool mapShows() const;

    std::shared_ptr<const GraphScene> scene_;
    GraphMetric metric_ = GraphMetric::Cycles;
    std::optional<GraphColours> colours_;
    std::vector<QString> values_; ///< second line of each box
    std::vector<ModelNodeId> matches_;
    std::vector<bool> matching_; ///< by box
    GraphItem chosen_;
    double scale_ = 1;
    QPointF offset_;      ///< of the scene's corner in the widget
    bool placed_ = false; ///< the user has seen this scene: resizing does not move it
    std::optional<QPointF> pressed_;
    QPointF last_;
    bool dragging_ = false;
    bool inMap_ = false;
    bool edgeLabels_ = false;
    double frameMs_ = 0;
    QTimer settled_; ///< runs while the picture moves
};

} // namespace tilescope::views
