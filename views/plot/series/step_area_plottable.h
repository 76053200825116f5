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
    bool onBefore = false;  ///< of an overlay: stands on the area before it, as all of a stack do
    [[nodiscard]] bool exceeds() const { return limit > 0 && top.all().max > limit; }
};

/// Draws value i over [i, i + 1) of the key axis as rectangles from the value axis' zero, at most
/// one or two a pixel column and area. QCustomPlot's own filled graph takes a hundred times longer.
class StepAreaPlottable : public Plottable {
    Q_OBJECT
public:
    enum class Mode {
        Stacked, ///< opaque, each area reaches from the one below to its top
        Overlaid ///< a pale fill with an outline, or that alone; each reaches from zero to its top
    };

    StepAreaPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis);

    /// `tooMuch`: the colour of what exceeds a limit.
    void setAreas(std::vector<StepArea> areas, Mode mode, const QColor& tooMuch);
    [[nodiscard]] const std::vector<StepArea>& areas() const { return areas_; }
    [[nodiscard]] Mode mode() const { return mode_; }
    [[nodiscard]] std::int64_t largest() const;

protected:
    void draw(QCPPainter* painter) override;

private:
    void fillStack(QCPPainter* painter) const;
    void fillArea(QCPPainter* painter, const StepArea& area) const;
    void outlineArea(QCPPainter* painter, const StepArea& area) const;
    void fillExcess(QCPPainter* painter, const StepArea& area) const;
    [[nodiscard]] std::vector<StepColumn> columnsOf(const StepArea& area) const;
    [[nodiscard]] int pixelOf(std::int64_t value) const;

    std::vector<StepArea> areas_;
    Mode mode_ = Mode::Stacked;
    QColor tooMuch_;
};

} // namespace tilescope::views
