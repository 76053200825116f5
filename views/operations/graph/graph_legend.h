// What the colours of the model's graph mean.
#pragma once

#include <optional>

#include "views/operations/graph/graph_colours.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// The scale of the metric with its ends in its unit and, for two profiles, the marks of items that
/// only one of them has.
class GraphLegend : public PaintedWidget {
    Q_OBJECT
public:
    explicit GraphLegend(ViewContext& context, QWidget* parent = nullptr);
    void setColours(std::optional<GraphColours> colours);
    /// Title and both ends of the scale.
    [[nodiscard]] QStringList texts() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    double paintScale(QPainter& painter, double left) const;

    std::optional<GraphColours> colours_;
};

} // namespace tilescope::views
