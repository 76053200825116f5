// Work a cycle over work a byte, both logarithmic, under the limits of the target.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/accounting/roofline.h"
#include "views/plot/plot_widget.h"
#include "views/plot/plottable.h"

namespace tilescope::views {

/// A row of the accounting on the plot.
struct RooflineMark {
    std::optional<double> flopsPerByte; ///< none: in the column of rows without exchange
    double flopsPerCycle = 1;
    double cycles = 0; ///< the area of the mark
    QColor colour;
    bool target = false; ///< an outline
    std::size_t row = 0; ///< of the source's or target's rows
};

/// The limits of an IPU as lines.
struct RooflineLine {
    RooflineLimits limits;
    QString suffix; ///< after the lines' names, such as "(target)"; may be empty
};

/// Lines and marks; axes are logarithms to the base ten.
class RooflinePlottable : public Plottable {
    Q_OBJECT
public:
    RooflinePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme);

    void setContent(std::vector<RooflineMark> marks, std::vector<RooflineLine> lines,
                    double columnFrom);
    [[nodiscard]] const std::vector<RooflineMark>& marks() const { return marks_; }
    [[nodiscard]] const std::vector<RooflineLine>& lines() const { return lines_; }
    [[nodiscard]] QPointF placeOf(const RooflineMark& mark) const; ///< in pixels
    [[nodiscard]] double radiusOf(const RooflineMark& mark) const; ///< in pixels

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawLimits(QCPPainter& painter, const RooflineLine& line, bool dashed) const;
    void drawLabel(QCPPainter& painter, const QPointF& at, const QString& text) const;
    void drawMark(QCPPainter& painter, const RooflineMark& mark) const;

    const ThemeSource& theme_;
    std::vector<RooflineMark> marks_; ///< largest first, so that small ones are on top
    std::vector<RooflineLine> lines_;
    double columnFrom_ = 0; ///< on the key axis: the column of rows without exchange
    double mostCycles_ = 1;
};

/// The plot with its axes; the chosen marks have rings.
class RooflinePlot : public PlotWidget {
    Q_OBJECT
public:
    RooflinePlot(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    void setContent(std::vector<RooflineMark> marks, std::vector<RooflineLine> lines);
    [[nodiscard]] const RooflinePlottable& content() const { return *content_; }
    /// The mark at axis coordinates: the one with the nearest centre if there are several.
    [[nodiscard]] const RooflineMark* markAt(double x, double y) const;
    /// Puts rings around the marks of these rows.
    void setChosen(std::optional<std::size_t> source, std::optional<std::size_t> target);

protected:
    void paintExtra(QPainter& painter) override;

private:
    RooflinePlottable* content_; ///< owned by the plot
    std::optional<std::size_t> source_;
    std::optional<std::size_t> target_;
};

} // namespace tilescope::views
