// A heat map on a QCustomPlot.
#pragma once

#include <optional>

#include "views/plot/plottable.h"
#include "views/values/heat_content.h"

namespace tilescope::views {

/// Paints the visible rows, each as a line of as many pixels as the plot is wide, so that the cost
/// of a frame depends only on what is visible. If several iterations share a pixel, the one with
/// the largest value is shown, so that rare values do not vanish.
class HeatPlottable : public Plottable {
    Q_OBJECT
public:
    HeatPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme);

    void setSide(HeatSide side, HeatScale scale);
    [[nodiscard]] const HeatSide& side() const { return side_; }
    [[nodiscard]] const HeatScale& scale() const { return scale_; }
    /// Shows these rows, each of height one, from zero on; without a list all rows at their own
    /// places.
    void setOrder(std::optional<std::vector<int>> order);
    [[nodiscard]] const std::optional<std::vector<int>>& order() const { return order_; }
    /// The row at a height; -1 for none.
    [[nodiscard]] int rowAt(double y) const;
    /// The colour of a value; invalid for none.
    [[nodiscard]] QColor colourOf(double value) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    void makeColours();
    [[nodiscard]] QRgb shadeOf(double value) const;
    /// First and last column of each pixel; a pixel without columns has last < first.
    struct Columns {
        std::vector<int> first, last;
    };
    [[nodiscard]] Columns columnsOf(int left, int width) const;
    void paintRow(QCPPainter& painter, const HeatRow& values, const HeatRow& place,
                  const Columns& columns, QImage& line) const;

    const ThemeSource& theme_;
    HeatSide side_;
    HeatScale scale_;
    std::optional<std::vector<int>> order_;
    std::vector<QRgb> colours_; ///< of evenly spaced positions
    QRgb nothing_ = 0;
};

} // namespace tilescope::views
