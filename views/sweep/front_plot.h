// Throughput over memory of a sweep's points, with the points that no other beats in both.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sweep/sweep_store.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// A point that was executed, so that it has a throughput.
struct FrontPoint {
    std::size_t point = 0;   ///< of the grid
    std::int64_t memory = 0; ///< bytes of the fullest tile
    double throughput = 0;   ///< samples per second
    bool onFront = false;    ///< no other point has more throughput in as little memory
};

/// The executed points of a sweep by memory.
std::vector<FrontPoint> frontPoints(const SweepResults& results);

/// A dot for each point; those on the front are larger and joined. A click chooses the nearest.
class FrontPlot : public PaintedWidget {
    Q_OBJECT
public:
    explicit FrontPlot(ViewContext& context, QWidget* parent = nullptr);

    /// `names`: of all points of the grid, for tips.
    void setPoints(std::vector<FrontPoint> points, std::vector<QString> names);
    [[nodiscard]] const std::vector<FrontPoint>& points() const { return points_; }
    /// Frames a point of the grid; -1 for none.
    void setCurrent(std::int64_t point);
    [[nodiscard]] QSize sizeHint() const override { return {700, 420}; }
    /// Where a point is painted.
    [[nodiscard]] QPointF placeOf(const FrontPoint& point) const;

signals:
    void chosen(std::size_t point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] const FrontPoint* at(QPointF position) const;
    void paintAxes(QPainter& painter) const;

    std::vector<FrontPoint> points_; ///< by memory
    std::vector<QString> names_;
    std::int64_t mostMemory_ = 1;
    double axisBegin_ = 0; ///< bytes
    double mostThroughput_ = 1;
    std::int64_t current_ = -1;
};

} // namespace tilescope::views
