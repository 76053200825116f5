#include "views/plot/series/step_area_plottable.h"

#include <algorithm>

#include "views/plot/series/step_columns.h"

namespace tilescope::views {

StepAreaPlottable::StepAreaPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis) {
    setAntialiased(false);
    setSelectable(QCP::stNone);
    removeFromLegend();
}

void StepAreaPlottable::setAreas(std::vector<StepArea> areas, Mode mode) {
    areas_ = std::move(areas);
    mode_ = mode;
}

std::int64_t StepAreaPlottable::largest() const {
    std::int64_t largest = 0;
    for (const StepArea& area : areas_)
        largest = std::max(largest, area.top.all().max);
    return largest;
}

QCPRange StepAreaPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
    std::size_t size = 0;
    for (const StepArea& area : areas_)
        size = std::max(size, area.top.size());
    found = size > 0;
    return {0, static_cast<double>(size)};
}

QCPRange StepAreaPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = !areas_.empty();
    return {0, static_cast<double>(largest())};
}

void StepAreaPlottable::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    // The top of the stack comes first: lower areas paint over what is not theirs.
    if (mode_ == Mode::Stacked)
        std::for_each(areas_.rbegin(), areas_.rend(),
                      [&](const StepArea& area) { drawArea(painter, area); });
    else
        for (const StepArea& area : areas_)
            drawArea(painter, area);
}

void StepAreaPlottable::drawArea(QCPPainter* painter, const StepArea& area) const {
    const QRect plot = clipRect();
    const QCPRange range = keyAxis()->range();
    const std::vector<StepColumn> columns =
        stepColumns(area.top, range.lower, range.upper, plot.width());
    const auto pixelOf = [&](std::int64_t value) {
        return qRound(valueAxis()->coordToPixel(static_cast<double>(value)));
    };
    const int zero = pixelOf(0);
    const auto fill = [&](int x0, int x1, int y0, int y1, const QColor& colour) {
        painter->fillRect(plot.left() + x0, std::min(y0, y1), x1 - x0, std::abs(y1 - y0), colour);
    };
    if (mode_ == Mode::Stacked) {
        for (const StepColumn& column : columns)
            fill(column.x0, column.x1, pixelOf(column.value.max), zero, area.colour);
        return;
    }
    // Where a pixel holds many values, what all of them reach is darker than what only some reach.
    QColor body = area.colour;
    body.setAlphaF(0.30F);
    QColor band = area.colour;
    band.setAlphaF(0.18F);
    int previous = zero;
    for (const StepColumn& column : columns) {
        const int top = pixelOf(column.value.max);
        const int bottom = pixelOf(column.value.min);
        fill(column.x0, column.x1, bottom, zero, body);
        fill(column.x0, column.x1, top, bottom, band);
        fill(column.x0, column.x1, top, top + 1, area.colour);
        // The outline's vertical part closes the step from the column before.
        if (std::abs(top - previous) > 1)
            fill(column.x0, column.x0 + 1, top, previous, area.colour);
        previous = top;
    }
}

void StepAreaPlottable::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    if (!areas_.empty())
        painter->fillRect(rect, areas_.front().colour);
}

} // namespace tilescope::views
