#include "views/plot/series/step_area_plottable.h"

#include <algorithm>
#include <cstdlib>

#include "views/theme/theme.h"

namespace tilescope::views {

StepAreaPlottable::StepAreaPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis)
    : Plottable(keyAxis, valueAxis) {}

void StepAreaPlottable::setAreas(std::vector<StepArea> areas, Mode mode, const Colours& colours) {
    areas_ = std::move(areas);
    mode_ = mode;
    colours_ = colours;
}

std::int64_t StepAreaPlottable::largest() const {
    std::int64_t largest = 0;
    for (const StepArea& area : areas_)
        largest = std::max(largest, area.top.all().max);
    return largest;
}

void StepAreaPlottable::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    if (mode_ == Mode::Stacked)
        fillStack(painter);
    else
        fillOverlaid(painter);
    for (const StepArea& area : areas_)
        if (area.exceeds())
            fillExcess(painter, area);
    if (mode_ == Mode::Overlaid) // over the excess of the other
        for (const StepArea& area : areas_)
            outlineArea(painter, area);
}

// Held values fill the pixels left between columns.
std::vector<StepAreaPlottable::Column> StepAreaPlottable::columnsOf(const StepArea& area) const {
    const QCPRange range = keyAxis()->range();
    const auto columns = [&](const MinMaxPyramid& values) {
        return stepColumns(values, range.lower, range.upper, clipRect().width());
    };
    const std::vector<StepColumn> own = columns(area.top);
    std::vector<Column> all;
    auto next = own.begin();
    for (const StepColumn& held : columns(area.held))
        for (int x = held.x0; x < held.x1;) {
            for (; next != own.end() && next->x0 <= x; ++next) {
                all.push_back({*next, false});
                x = std::max(x, next->x1);
            }
            const int end = next == own.end() ? held.x1 : std::min(held.x1, next->x0);
            if (x < end)
                all.push_back({{x, end, held.value}, true});
            x = std::max(x, end);
        }
    for (; next != own.end(); ++next)
        all.push_back({*next, false});
    return all;
}

int StepAreaPlottable::pixelOf(std::int64_t value) const {
    return qRound(valueAxis()->coordToPixel(static_cast<double>(value)));
}

StepAreaPlottable::Feet StepAreaPlottable::feet() const {
    return Feet(static_cast<std::size_t>(std::max(0, clipRect().width())), pixelOf(0));
}

void StepAreaPlottable::fillDown(QCPPainter* painter, const Column& column, int top,
                                 const QColor& colour, Feet& below) const {
    const auto at = [&below](int x) -> int& { return below[static_cast<std::size_t>(x)]; };
    for (int x = column.x0; x < column.x1;) {
        const int bottom = at(x);
        int end = x;
        for (; end < column.x1 && at(end) == bottom; ++end)
            at(end) = std::min(top, bottom);
        if (top < bottom)
            painter->fillRect(clipRect().left() + x, top, end - x, bottom - top, colour);
        x = end;
    }
}

// Each area from its top to that of the one below: every pixel is painted once, however many areas
// there are.
void StepAreaPlottable::fillStack(QCPPainter* painter) const {
    constexpr double paler = 0.5;
    Feet below = feet();
    for (const StepArea& area : areas_) {
        const QColor held = mixed(area.colour, colours_.surface, paler);
        for (const Column& column : columnsOf(area))
            fillDown(painter, column, pixelOf(column.value.max), column.held ? held : area.colour,
                     below);
    }
}

void StepAreaPlottable::fillOverlaid(QCPPainter* painter) const {
    Feet below;
    for (std::size_t i = 0; i < areas_.size(); ++i) {
        if (!areas_[i].filled)
            continue;
        if (!standsOnBefore(i))
            below = feet();
        fillArea(painter, areas_[i], below);
    }
}

void StepAreaPlottable::fillArea(QCPPainter* painter, const StepArea& area, Feet& below) const {
    // If a pixel holds many values, the height that all reach is darker than what only some reach.
    constexpr double paler = 0.6;
    QColor body = area.colour;
    body.setAlphaF(static_cast<float>(overlaidOpacity));
    QColor band = area.colour;
    band.setAlphaF(static_cast<float>(overlaidOpacity * paler));
    for (const Column& column : columnsOf(area)) {
        fillDown(painter, column, pixelOf(column.value.min), column.held ? band : body, below);
        fillDown(painter, column, pixelOf(column.value.max), band, below);
    }
}

void StepAreaPlottable::outlineArea(QCPPainter* painter, const StepArea& area) const {
    // An outline without a fill must stand out from the other area's fill and outline.
    const int thick = area.filled ? 1 : 2;
    const int left = clipRect().left();
    int previous = pixelOf(0);
    int end = -1;
    for (const Column& column : columnsOf(area)) {
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
    for (const Column& column : columnsOf(area))
        if (column.value.max > area.limit) {
            const int top = pixelOf(column.value.max);
            painter->fillRect(left + column.x0, top, column.x1 - column.x0,
                              std::max(1, limit - top), colours_.tooMuch);
        }
}

} // namespace tilescope::views
