// The names of lanes beside a plot, by which they are arranged.
#pragma once

#include <QWidget>
#include <optional>

#include "views/plot/trace/lane_arrangement.h"

namespace tilescope::views {

class TracePlot;
struct Theme;
struct TraceLane;

/// The area left of a TracePlot: the name of each lane with an arrow that folds it. Dragging a name
/// moves the lane, dragging the lower edge of its field makes its rows higher, the context menu has
/// all actions. The plot paints the names, so that pictures have them too; this handles the mouse.
class LaneNames : public QWidget {
    Q_OBJECT
public:
    explicit LaneNames(TracePlot& plot);
    void paint(QPainter& painter, const Theme& theme) const;

    /// Where the arrow of a lane is, and its whole field; in the plot's coordinates.
    [[nodiscard]] QRect arrowOf(const LanePlace& place) const;
    [[nodiscard]] QRect fieldOf(const LanePlace& place) const;

protected:
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Drag {
        enum class What { Fold, Move, Height } what = What::Move;
        std::size_t lane = 0;
        QPoint from;
        bool underWay = false;
        std::optional<std::size_t> before; ///< where the lane would go
        double lineAt = 0;
    };
    [[nodiscard]] const LanePlace* placeAt(const QPoint& position) const;
    /// The lane whose lower edge is here; none (nullptr) elsewhere.
    [[nodiscard]] const LanePlace* edgeAt(const QPoint& position) const;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const;
    void drag(const QPoint& position);
    void dragLane(const QPoint& position);
    void scrollAtEdge(double y);
    void paintLane(QPainter& painter, const Theme& theme, const LanePlace& place) const;
    void paintName(QPainter& painter, const Theme& theme, const LanePlace& place,
                   const TraceLane& lane) const;
    void paintRowNames(QPainter& painter, const LanePlace& place, const TraceLane& lane) const;

    TracePlot& plot_;
    std::optional<Drag> drag_;
    int hovered_ = -1;
};

} // namespace tilescope::views
