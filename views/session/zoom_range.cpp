#include "views/session/zoom_range.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {

void ZoomRange::setLimits(double first, double last, double minimumSpan) {
    first_ = first;
    last_ = std::max(last, first + minimumSpan);
    minimumSpan_ = minimumSpan;
    from_ = first_;
    to_ = last_;
    emit changed();
}

void ZoomRange::setRange(double from, double to) {
    if (!std::isfinite(from) || !std::isfinite(to))
        return;
    const double span = std::clamp(to - from, minimumSpan_, last_ - first_);
    // A range that is too short grows around its middle.
    const double start = to - from < minimumSpan_ ? (from + to - span) / 2 : from;
    const double newFrom = std::clamp(start, first_, last_ - span);
    if (newFrom == from_ && newFrom + span == to_)
        return;
    from_ = newFrom;
    to_ = newFrom + span;
    emit changed();
}

void ZoomRange::zoomAt(double centre, double factor) {
    const double span = std::clamp(this->span() * factor, minimumSpan_, last_ - first_);
    const double share = (centre - from_) / this->span();
    setRange(centre - share * span, centre - share * span + span);
}

void ZoomRange::panBy(double share) {
    const double span = this->span();
    setRange(from_ + share * span, from_ + share * span + span);
}

} // namespace tilescope::views
