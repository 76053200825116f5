#include "views/plot/series/step_area_plottable.h"

#include <algorithm>
#include <cstdlib>

namespace tilescope::views {

StepAreaPlottable::StepAreaPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : Plottable(keyAxis, valueAxis) {}

void StepAreaPlottable::setAreas(std::vector<StepArea> areas, Mode mode, const QColor& tooMuch) {
    areas_ = std::move(areas);
    mode_ = mode;
    tooMuch_ = tooMuch;
}

std::int64_t StepAreaPlottable::largest() const {
    std::int64_t largest = 0;
    for (const StepArea& area : areas_)
        largest = std::max(largest, area.top.all().max);
    return largest;
}

void StepAreaPlottable::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    if (mode_ == Mode::Stacked) {
        fillStack(painter);
    } else {
        for (const StepArea& area : areas_)
            if (area.filled)
                fillArea(painter, area);
        for (const StepArea& area : areas_)
            outlineArea(painter, area);
    }
    for (const StepArea& area : areas_)
        if (area.exceeds())
            fillExcess(painter, area);
}

std::vector<StepColumn> StepAreaPlottable::columnsOf(const StepArea& area) const {
    const QCPRange range = keyAxis()->range();
    return stepColumns(area.top, range.lower, range.upper, clipRect().width());
}

int StepAreaPlottable::pixelOf(std::int64_t value) const {
    return qRound(valueAxis()->coordToPixel(static_cast<double>(value)));
}

// Each area from its top to that of the one below: every pixel is painted once, however many areas
// there are.
void StepAreaPlottable::fillStack(QCPPainter* painter) const {
    const int left = clipRect().left();
    std::vector<int> below(static_cast<std::size_t>(std::max(0, clipRect().width())), pixelOf(0));
    const auto at = [&below](int x) -> int& { return below[static_cast<std::size_t>(x)]; };
    for (const StepArea& area : areas_)
        for (const StepColumn& column : columnsOf(area)) {
            const int top = pixelOf(column.value.max);
            for (int x = column.x0; x < column.x1;) {
                const int bottom = at(x);
                int end = x;
                for (; end < column.x1 && at(end) == bottom; ++end)
                    at(end) = std::min(top, bottom);
                if (top < bottom)
                    painter->fillRect(left + x, top, end - x, bottom - top, area.colour);
                x = end;
            }
        }
}

void StepAreaPlottable::fillArea(QCPPainter* painter, const StepArea& area) const {
    const int left = clipRect().left();
    const int zero = pixelOf(0);
    const auto fill = [&](const StepColumn& column, int top, int bottom, const QColor& colour) {
        painter->fillRect(left + column.x0, top, column.x1 - column.x0, bottom - top, colour);
    };
    // Where a pixel holds many values, what all of them reach is darker than what only some reach.
    QColor body = area.colour;
    body.setAlphaF(0.30F);
    QColor band = area.colour;
    band.setAlphaF(0.18F);
    for (const StepColumn& column : columnsOf(area)) {
        const int bottom = pixelOf(column.value.min);
        fill(column, bottom, zero, body);
        fill(column, pixelOf(column.value.max), bottom, band);
    }
}

void StepAreaPlottable::outlineArea(QCPPainter* painter, const StepArea& area) const {
    // An outline alone has to stand out from the fill and the outline of the other.
    const int thick = area.filled ? 1 : 2;
    const int left = clipRect().left();
    int previous = pixelOf(0);
    int end = -1;
    for (const StepColumn& column : columnsOf(area)) {
        const int top = pixelOf(column.value.max);
        painter->fillRect(left + column.x0, top, column.x1 - column.x0, thick, area.colour);
        // The vertical part closes the step from the column before, unless nothing is there.
        const bool follows = column.x0 == end;
        if (follows && std::abs(top - previous) > 1)
            painter->fillRect(left + column.x0, std::min(top, previous), thick,
                              std::abs(top - previous), area.colour);
        previous = top;
        end = column.x1;
    }
}

void StepAreaPlottable::fillExcess(QCPPainter* painter, const StepArea& area) const {
    const int left = clipRect().left();
    const int limit = pixelOf(area.limit);
    QColor colour = tooMuch_;
    if (mode_ == Mode::Overlaid) // the other's outline stays to be seen
        colour.setAlphaF(area.filled ? 0.75F : 0.45F);
    for (const StepColumn& column : columnsOf(area))
        if (column.value.max > area.limit) {
            const int top = pixelOf(column.value.max);
            painter->fillRect(left + column.x0, top, column.x1 - column.x0,
                              std::max(1, limit - top), colour);
        }
}

} // namespace tilescope::views
