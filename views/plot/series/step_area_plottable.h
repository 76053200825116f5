// Filled step series on a QCustomPlot, stacked or overlaid.
#pragma once

#include <vector>

#include "views/plot/plottable.h"
#include "views/plot/series/step_columns.h"

namespace tilescope::views {

/// One area. In a stack `top` is the sum of this layer and all below it.
struct StepArea {
    QString name;
    QColor colour;
    MinMaxPyramid top;
    std::int64_t limit = 0; ///< bytes; what is above is drawn as too much; 0: no limit
    bool filled = true;     ///< of an overlay; else an outline alone
    bool onBefore = false;  ///< in an overlay: is on top of the area before, as all in a stack are
    /// At places without a value between others: the value of the place before, drawn paler.
    MinMaxPyramid held = {};
    QString total = {}; ///< at the top of a stack: name of the total in the read-out
    [[nodiscard]] bool exceeds() const { return limit > 0 && top.all().max > limit; }
};

/// Draws value i over [i, i + 1) of the key axis as rectangles from the value axis' zero, at most
/// one or two a pixel column and area. QCustomPlot's own filled graph takes a hundred times longer.
class StepAreaPlottable : public Plottable {
    Q_OBJECT
public:
    enum class Mode {
        Stacked, ///< opaque, each area reaches from the one below to its top
        Overlaid ///< a pale fill with an outline, or that alone; reaches from zero unless
                 ///< `onBefore`
    };

    StepAreaPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis);

    /// How much of its colour the fill of an overlay has, on the surface.
    static constexpr double overlaidOpacity = 0.30;

    struct Colours {
        QColor tooMuch; ///< of what exceeds a limit
        QColor surface;
    };
    void setAreas(std::vector<StepArea> areas, Mode mode, const Colours& colours);
    /// Whether an area reaches from the top of the one before it.
    [[nodiscard]] bool standsOnBefore(std::size_t area) const {
        return area > 0 && (mode_ == Mode::Stacked || areas_[area].onBefore);
    }
    [[nodiscard]] const std::vector<StepArea>& areas() const { return areas_; }
    [[nodiscard]] Mode mode() const { return mode_; }
    [[nodiscard]] std::int64_t largest() const;

protected:
    void draw(QCPPainter* painter) override;

private:
    void fillStack(QCPPainter* painter) const;
    /// A column of values or, if `held`, of a place that keeps the value before it.
    struct Column : StepColumn {
        bool held = false;
    };
    /// For each column of pixels the first free pixel from the foot of the plot.
    using Feet = std::vector<int>;
    [[nodiscard]] Feet feet() const;
    void fillOverlaid(QCPPainter* painter) const;
    void fillArea(QCPPainter* painter, const StepArea& area, Feet& below) const;
    void outlineArea(QCPPainter* painter, const StepArea& area) const;
    void fillExcess(QCPPainter* painter, const StepArea& area) const;
    /// Fills the pixels of a column from `top` down to `below`, then raises `below` to `top`.
    void fillDown(QCPPainter* painter, const Column& column, int top, const QColor& colour,
                  Feet& below) const;
    [[nodiscard]] std::vector<Column> columnsOf(const StepArea& area) const;
    [[nodiscard]] int pixelOf(std::int64_t value) const;

    std::vector<StepArea> areas_;
    Mode mode_ = Mode::Stacked;
    Colours colours_;
};

} // namespace tilescope::views
