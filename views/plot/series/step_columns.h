// Geometry of a step series on the screen, apart from painting.
#pragma once

#include <vector>

#include "views/plot/series/min_max_pyramid.h"

namespace tilescope::views {

/// Pixel columns [x0, x1) that show the same extremes.
struct StepColumn {
    int x0 = 0;
    int x1 = 0;
    MinMax value;
    friend bool operator==(const StepColumn&, const StepColumn&) = default;
};

/// Value i occupies [i, i + 1) of the axis. Columns cover the part of [from, to] that has values,
/// on a plot `pixels` wide, and leave out places without one; there are at most `pixels` of them
/// whatever the number of values, and no value is skipped: a narrow peak keeps its height.
std::vector<StepColumn> stepColumns(const MinMaxPyramid& values, double from, double to,
                                    int pixels);

} // namespace tilescope::views
