#include "views/plot/trace/trace_rows.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {

std::vector<BoxOnScreen> boxesOnScreen(const TraceRow& row, double from, double to, int pixels) {
    std::vector<BoxOnScreen> screen;
    if (pixels <= 0 || !(to > from))
        return screen;
    const double scale = pixels / (to - from);
    const auto& boxes = row.boxes;
    auto box = std::partition_point(boxes.begin(), boxes.end(), [&](const TraceBox& b) {
        return static_cast<double>(b.end) <= from;
    });
    for (; box != boxes.end() && static_cast<double>(box->begin) < to; ++box) {
        const auto at = static_cast<std::size_t>(box - boxes.begin());
        const double left = (static_cast<double>(box->begin) - from) * scale;
        const double right = (static_cast<double>(box->end) - from) * scale;
        int x0 = static_cast<int>(std::clamp(std::floor(left), 0.0, pixels - 1.0));
        const int x1 = static_cast<int>(std::clamp(std::floor(right), x0 + 1.0, double(pixels)));
        if (!screen.empty() && x0 < screen.back().x1) {
            BoxOnScreen& last = screen.back();
            if (x1 <= last.x1) {
                // Both want the last pixel. A wide box has other pixels to be seen on.
                const bool lastIsNarrow = last.x1 - last.x0 == 1;
                if (lastIsNarrow && boxes[last.box].cycles() < box->cycles())
                    last.box = at;
                continue;
            }
            x0 = last.x1;
        }
        screen.push_back({x0, x1, at});
    }
    return screen;
}

const TraceBox* boxAt(const TraceRow& row, double cycle) {
    const auto box =
        std::partition_point(row.boxes.begin(), row.boxes.end(), [&](const TraceBox& b) {
            return static_cast<double>(b.end) <= cycle;
        });
    return box != row.boxes.end() && static_cast<double>(box->begin) <= cycle ? &*box : nullptr;
}

} // namespace tilescope::views
