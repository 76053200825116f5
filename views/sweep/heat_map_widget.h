// A heat map operated by mouse and arrow keys.
#pragma once

#include <functional>

#include "core/export/heat_map.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Cells in the colours of heatColour(), those without a value hatched; the best is framed. One
/// cell is current; a second one can be marked to be compared with it.
class HeatMapWidget : public PaintedWidget {
    Q_OBJECT
public:
    explicit HeatMapWidget(ViewContext& context, QWidget* parent = nullptr);

    using ValueText = std::function<QString(double)>;
    /// `format` writes a value; with `lessIsBetter` the smallest value is framed.
    void setMap(HeatMap map, ValueText format, bool lessIsBetter);
    [[nodiscard]] const HeatMap& map() const { return map_; }

    /// Cells are numbered row by row; -1 is none.
    [[nodiscard]] int current() const { return current_; }
    [[nodiscard]] int marked() const { return marked_; }
    void setCurrent(int cell) { choose(cell, false); }
    void setMarked(int cell) { choose(cell, true); }
    /// Where a cell is painted.
    [[nodiscard]] QRectF cellRect(int cell) const;
    [[nodiscard]] int cellAt(QPointF position) const;

    [[nodiscard]] QSize sizeHint() const override { return {700, 420}; }

signals:
    void cellsChosen();
    void activated(int cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] int rowCount() const { return static_cast<int>(map_.rows.size()); }
    [[nodiscard]] int columnCount() const { return static_cast<int>(map_.columns.size()); }
    [[nodiscard]] QRectF grid() const;
    [[nodiscard]] QString textOf(const HeatMapCell& cell) const;
    void paintAxes(QPainter& painter) const;
    void paintCell(QPainter& painter, int cell) const;
    void paintScale(QPainter& painter) const;
    void choose(int cell, bool mark);
    void announce();

    HeatMap map_;
    ValueText format_;
    bool lessIsBetter_ = false;
    double low_ = 0;
    double high_ = 0;
    bool anyValue_ = false;
    int current_ = -1;
    int marked_ = -1;
};

} // namespace tilescope::views
