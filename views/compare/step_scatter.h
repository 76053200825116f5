// Simulated against measured cycles of steps, both logarithmic.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/kinds.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// A mark for each step; those on the diagonal were simulated as they were measured.
class StepScatter : public PaintedWidget {
    Q_OBJECT
public:
    struct Mark {
        std::int32_t id = -1; ///< what choosing it tells
        ProgramKind kind = ProgramKind::OnTileExecute;
        double simulated = 0; ///< cycles, above 0
        double measured = 0;
        QString name;
    };
    explicit StepScatter(ViewContext& context, QWidget* parent = nullptr);
    /// Later marks are below earlier ones.
    void setMarks(std::vector<Mark> marks);
    /// Rings the mark of an id; none if there is none.
    void select(std::int32_t id);
    [[nodiscard]] QPointF placeOf(const Mark& mark) const;
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }
    [[nodiscard]] QSize sizeHint() const override { return {420, 320}; }

signals:
    void chosen(std::int32_t id);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] const Mark* markAt(const QPoint& position) const;
    void paintAxes(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    std::vector<Mark> marks_;
    std::int32_t selected_ = -1;
    double from_ = 0; ///< decades of both axes
    double to_ = 1;
};

} // namespace tilescope::views
