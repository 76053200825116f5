#include "views/execution/tracks/track_plottable.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tilescope::views {
namespace {
// What all steps of a column reach is darker than what only some do.
constexpr float bodyOpacity = 0.5F;
constexpr float bandOpacity = 0.25F;

bool reaches(const TrackCurve& curve, double from, double to) {
    return curve.columns.count() > 0 && static_cast<double>(curve.columns.range().begin) <= from &&
           static_cast<double>(curve.columns.range().end) >= to;
}

/// The columns that cycles [from, to) touch, the first and the one after the last.
std::pair<std::size_t, std::size_t> touched(const TrackCurve& curve, double from, double to) {
    const auto begin = static_cast<double>(curve.columns.range().begin);
    const auto count = static_cast<double>(curve.columns.count());
    const double perColumn = static_cast<double>(curve.columns.range().cycles()) / count;
    const double first = std::clamp(std::floor((from - begin) / perColumn), 0.0, count);
    const double end = std::clamp(std::ceil((to - begin) / perColumn), first, count);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(end)};
}

QColor withOpacity(QColor colour, float opacity) {
    colour.setAlphaF(opacity);
    return colour;
}

} // namespace

const TrackCurve* TrackSide::reaching(double from, double to) const {
    for (const TrackCurve* curve : {detail.get(), overview.get()})
        if (curve != nullptr && reaches(*curve, from, to))
            return curve;
    return nullptr;
}

TrackPlottable::TrackPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const CounterTrack& track,
                               const ThemeSource& theme)
    : Plottable(keyAxis, valueAxis)
    , track_(track)
    , theme_(theme) {}

/// Calls take(curve, column) for the columns between two cycles of the finest curve that has all.
template <class Take>
void TrackPlottable::eachColumn(std::size_t at, double from, double to, const Take& take) const {
    const TrackSide& side = sides_.at(at);
    if (!side.overview || side.overview->columns.count() == 0)
        return;
    const CycleRange& all = side.overview->columns.range();
    const double first = std::max(from, static_cast<double>(all.begin));
    const double end = std::min(to, static_cast<double>(all.end));
    const TrackCurve* curve = first < end ? side.reaching(first, end) : nullptr;
    if (curve == nullptr)
        return;
    const auto [column, stop] = touched(*curve, first, end);
    for (std::size_t i = column; i < stop; ++i)
        take(*curve, i);
}

double TrackPlottable::largestOf(std::size_t side, double from, double to) const {
    double most = 0;
    eachColumn(side, from, to, [&most](const TrackCurve& curve, std::size_t column) {
        most = std::max(most, curve.top(column));
    });
    return most;
}

double TrackPlottable::leastOf(std::size_t side, double from, double to) const {
    double least = 0;
    eachColumn(side, from, to, [&least](const TrackCurve& curve, std::size_t column) {
        least = std::min(least, curve.bottom(column));
    });
    return least;
}

std::vector<TrackPlottable::Pixels> TrackPlottable::pixelsOf(const TrackSide& side) const {
    std::vector<Pixels> all;
    if (!side.overview || side.overview->columns.count() == 0)
        return all;
    const QRect clip = clipRect();
    const QCPRange range = keyAxis()->range();
    const double perPixel = range.size() / std::max(1, clip.width());
    const auto first = static_cast<double>(side.overview->columns.range().begin);
    const auto last = static_cast<double>(side.overview->columns.range().end);
    // One curve for all that is in sight: closer columns are higher than those beside them.
    const TrackCurve* curve =
        side.reaching(std::max(first, range.lower), std::min(last, range.upper));
    for (int x = 0; curve != nullptr && x < clip.width(); ++x) {
        const double from = std::max(first, range.lower + x * perPixel);
        const double to = std::min(last, range.lower + (x + 1) * perPixel);
        if (from >= to)
            continue;
        const auto [column, end] = touched(*curve, from, to);
        if (column >= end)
            continue;
        Pixels at{clip.left() + x, clip.left() + x + 1, curve, column, curve->bottom(column)};
        for (std::size_t i = column + 1; i < end; ++i) {
            if (curve->top(i) > curve->top(at.column))
                at.column = i;
            at.least = std::min(at.least, curve->bottom(i));
        }
        if (!all.empty() && all.back().x1 == at.x0 && all.back().curve == curve &&
            all.back().column == at.column && all.back().least == at.least)
            all.back().x1 = at.x1;
        else
            all.push_back(at);
    }
    return all;
}

int TrackPlottable::pixelOf(double value) const {
    return qRound(valueAxis()->coordToPixel(value));
}

void TrackPlottable::draw(QCPPainter* painter) {
    painter->setAntialiasing(false);
    const Theme& theme = theme_.current();
    if (!comparing())
        return fill(*painter, pixelsOf(sides_[0]));
    outline(*painter, pixelsOf(sides_[0]), theme.source);
    outline(*painter, pixelsOf(sides_[1]), theme.target);
}

void TrackPlottable::fill(QCPPainter& painter, const std::vector<Pixels>& all) const {
    const std::vector<CounterTrack::Part> parts = track_.parts(theme_.current());
    const int zero = pixelOf(0);
    const auto box = [&](const Pixels& at, int top, int bottom, const QColor& colour) {
        if (top < bottom)
            painter.fillRect(at.x0, top, at.x1 - at.x0, bottom - top, colour);
    };
    int previous = zero;
    for (const Pixels& at : all) {
        const TrackCurve& curve = *at.curve;
        double height = 0;
        int bottom = zero;
        int top = zero;
        QColor edge = parts.back().colour;
        for (std::size_t i = 0; i < curve.parts.size() && i < parts.size(); ++i) {
            const QColor& colour = parts[i].colour;
            height += curve.parts[i][at.column];
            top = pixelOf(height);
            if (curve.least.empty()) {
                box(at, top, bottom, withOpacity(colour, bodyOpacity));
            } else {
                const int body = pixelOf(at.least);
                box(at, body, bottom, withOpacity(colour, bodyOpacity));
                box(at, top, std::min(body, bottom), withOpacity(colour, bandOpacity));
                // Below zero: what all reach, and what only some do.
                box(at, bottom, std::max(top, bottom), withOpacity(colour, bodyOpacity));
                box(at, std::max(top, bottom), body, withOpacity(colour, bandOpacity));
            }
            if (top < bottom)
                edge = colour;
            bottom = top;
        }
        if (curve.limited && height > curve.whole)
            box(at, top, pixelOf(curve.whole), theme_.current().bad);
        // A line along the top, and up or down to where the column before ends.
        if (top < zero)
            box(at, top, top + 1, edge);
        painter.fillRect(at.x0, std::min(top, previous), 1, std::abs(top - previous), edge);
        previous = top;
    }
}

void TrackPlottable::outline(QCPPainter& painter, const std::vector<Pixels>& all,
                             const QColor& colour) const {
    int previous = pixelOf(0);
    for (const Pixels& at : all) {
        const TrackCurve& curve = *at.curve;
        const double height = curve.top(at.column);
        const int top = pixelOf(height);
        const bool over = curve.limited && height > curve.whole;
        painter.fillRect(at.x0, top, at.x1 - at.x0, over ? 2 : 1,
                         over ? theme_.current().bad : colour);
        painter.fillRect(at.x0, std::min(top, previous), 1, std::abs(top - previous), colour);
        previous = top;
    }
}

} // namespace tilescope::views
