#include "core/analysis/accounting/roofline.h"

#include <algorithm>

namespace tilescope {

double RooflineLimits::at(double flopsPerByte, double peakFlops) const {
    return std::min(peakFlops, flopsPerByte * bytes);
}

RooflineLimits rooflineLimits(const Target& target) {
    const double tiles = target.tilesPerIpu;
    return {peakFlopsPerCycle(target, true) * tiles, peakFlopsPerCycle(target, false) * tiles,
            tiles * target.exchangeBytesPerCycle};
}

std::vector<RooflinePoint> rooflinePoints(const std::vector<CostRow>& rows) {
    std::vector<RooflinePoint> points;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const std::optional<double> rate = rows[i].flopsPerCycle(); rate && *rate > 0)
            points.push_back({i, rows[i].flopsPerByte(), *rate, rows[i].workCycles});
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    return points;
}

} // namespace tilescope
