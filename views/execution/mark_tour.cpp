#include "views/execution/mark_tour.h"

namespace tilescope::views {

void MarkTour::show(double cycle) {
    shown_ = cycle;
    zoom_.setRange(cycle - zoom_.span() / 2, cycle + zoom_.span() / 2);
}

bool MarkTour::go(bool forward) {
    // At the ends of the execution a mark cannot be in the middle of the window.
    const bool stillThere = shown_ && *shown_ >= zoom_.from() && *shown_ <= zoom_.to();
    const double from = stillThere ? *shown_ : (zoom_.from() + zoom_.to()) / 2;
    const int row = marks_.beside(from, forward);
    if (row >= 0)
        show(marks_.marks()[static_cast<std::size_t>(row)].cycle);
    return row >= 0;
}

} // namespace tilescope::views
