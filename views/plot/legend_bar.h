// The legend below a plot, outside of the data.
#pragma once

#include <vector>

#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Swatches with names, in lines as wide as the plot.
class LegendBar : public PaintedWidget {
    Q_OBJECT
public:
    /// The sample of an entry: an area, a line or single points, filled or as outlines. A scale has
    /// colours from one end to the other, with a text at each end.
    enum class Mark { Square, Line, DashedLine, Diamond, Circle, Ring, Scale };
    struct Entry {
        QString name;
        QColor colour;
        Mark mark = Mark::Square;
        std::vector<QColor> scale = {}; ///< of a scale, after its name
        QString end = {};               ///< the value of its last colour
        QColor edge = {};               ///< around a square; none if it is not valid
    };
    explicit LegendBar(ViewContext& context, QWidget* parent = nullptr);
    void setEntries(std::vector<Entry> entries);
    /// Room on the left; that of plots unless set.
    void setLeft(int left);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    // Top left corners of the entries for a width; the last one is where a next would be.
    [[nodiscard]] std::vector<QPoint> places(int width) const;
    [[nodiscard]] int widthOf(const Entry& entry) const;
    void paintScale(QPainter& painter, const QRect& line, const Entry& entry) const;
    [[nodiscard]] int lineHeight() const { return fontMetrics().height() + 6; }

    std::vector<Entry> entries_;
    int left_;
};

} // namespace tilescope::views
