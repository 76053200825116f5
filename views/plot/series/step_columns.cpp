#include "views/plot/series/step_columns.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {
namespace {

void append(std::vector<StepColumn>& columns, const StepColumn& next) {
    if (next.value.empty())
        return;
    if (!columns.empty() && columns.back().x1 == next.x0 && columns.back().value == next.value)
        columns.back().x1 = next.x1;
    else
        columns.push_back(next);
}

// Few values: one column a value, with edges on the nearest pixel.
std::vector<StepColumn> wideColumns(const MinMaxPyramid& values, double from, double perPixel,
                                    int pixels, std::size_t first, std::size_t end) {
    std::vector<StepColumn> columns;
    const auto pixelOf = [&](std::size_t index) {
        const double x = std::round((static_cast<double>(index) - from) / perPixel);
        return static_cast<int>(std::clamp(x, 0.0, static_cast<double>(pixels)));
    };
    for (std::size_t i = first; i < end; ++i) {
        const int x0 = pixelOf(i);
        const int x1 = pixelOf(i + 1);
        if (x1 > x0)
            append(columns, {x0, x1, values.over(i, i + 1)});
    }
    return columns;
}

// Many values: one column a pixel.
std::vector<StepColumn> narrowColumns(const MinMaxPyramid& values, double from, double perPixel,
                                      int pixels) {
    std::vector<StepColumn> columns;
    const auto size = static_cast<double>(values.size());
    for (int x = 0; x < pixels; ++x) {
        const double left = std::max(0.0, from + x * perPixel);
        const double right = std::min(size, from + (x + 1) * perPixel);
        if (left >= right)
            continue;
        const auto first = static_cast<std::size_t>(left);
        const auto end = std::min(values.size(), static_cast<std::size_t>(std::ceil(right)));
        append(columns, {x, x + 1, values.over(first, std::max(end, first + 1))});
    }
    return columns;
}

} // namespace

std::vector<StepColumn> stepColumns(const MinMaxPyramid& values, double from, double to,
                                    int pixels) {
    if (values.empty() || pixels <= 0 || !(to > from))
        return {};
    const double perPixel = (to - from) / pixels;
    if (perPixel >= 1)
        return narrowColumns(values, from, perPixel, pixels);
    const auto size = static_cast<double>(values.size());
    const auto first = static_cast<std::size_t>(std::clamp(std::floor(from), 0.0, size));
    const auto end = static_cast<std::size_t>(std::clamp(std::ceil(to), 0.0, size));
    return wideColumns(values, from, perPixel, pixels, first, end);
}

} // namespace tilescope::views
