// The roofline of a run: FLOPs per cycle of each row of the accounting against FLOPs per byte
// exchanged, under the limits of the target.
//
// Williams, Waterman, Patterson: "Roofline: an insightful visual performance model for multicore
// architectures", Communications of the ACM 52(4), 2009. The bytes are those that tiles receive, as
// an IPU has no other memory than that of its tiles. Compute and exchange follow each other on an
// IPU, so that a point near the ridge reaches half of the limit at the most.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/analysis/accounting/cost_rows.h"

namespace tilescope {

/// What one IPU can do in a cycle.
struct RooflineLimits {
    double halfFlops = 0;   ///< matrix units of all tiles, half precision operands
    double singleFlops = 0; ///< likewise, single precision
    double bytes = 0;       ///< that all tiles together receive by the exchange

    /// Attainable FLOPs per cycle at `flopsPerByte`: limited by the exchange or by a peak.
    [[nodiscard]] double at(double flopsPerByte, double peakFlops) const;
    friend bool operator==(const RooflineLimits&, const RooflineLimits&) = default;
};
RooflineLimits rooflineLimits(const Target& target);

/// A row that works.
struct RooflinePoint {
    std::size_t row = 0;                ///< index into the rows that the points were made from
    std::optional<double> flopsPerByte; ///< none: it exchanges nothing
    double flopsPerCycle = 0;
    double cycles = 0; ///< compute and exchange
};

/// A point for each row with FLOPs, most cycles first.
std::vector<RooflinePoint> rooflinePoints(const std::vector<CostRow>& rows);

} // namespace tilescope
