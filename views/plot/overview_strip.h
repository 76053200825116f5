// The mini-map above a plot: everything in grey, with handles around what is visible.
#pragma once

#include <QPixmap>
#include <functional>

#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Shows the whole of a ZoomRange. Dragging a handle moves an end, dragging between them moves the
/// range, a click elsewhere centres it there, a double click shows everything.
class OverviewStrip : public PaintedWidget {
    Q_OBJECT
public:
    OverviewStrip(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    /// Paints the whole range into a rectangle; called once for each size, theme and invalidate().
    using PaintAll = std::function<void(QPainter&, const QRect&)>;
    void setContent(PaintAll paint);
    void invalidate();

    [[nodiscard]] QSize sizeHint() const override { return {400, 30}; }

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override { invalidate(); }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent*) override { grip_ = Grip::None; }
    void mouseDoubleClickEvent(QMouseEvent*) override { zoom_.fit(); }
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Grip { None, Left, Right, Middle };
    [[nodiscard]] QRect track() const;
    [[nodiscard]] double pixelOf(double value) const;
    [[nodiscard]] double valueAt(double pixel) const;
    [[nodiscard]] Grip gripAt(const QPoint& position) const;

    ZoomRange& zoom_;
    PaintAll paint_;
    QPixmap content_;
    Grip grip_ = Grip::None;
    double gripOffset_ = 0; ///< from the range's left end to the pointer, in values
};

} // namespace tilescope::views
