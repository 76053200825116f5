// Sums of many series by tile.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tiles/tile_series.h"

namespace tilescope::sim {

/// A sum in dense form, since each of the series has its own cuts.
class TileSum {
public:
    void add(const TileSeries& series) {
        if (series.empty())
            return;
        const auto end = static_cast<std::size_t>(series.runs().back().end);
        if (dense_.size() < end)
            dense_.resize(end, 0);
        series.addTo(dense_);
    }
    void add(const TileSeries& series, std::int64_t factor) { add(series.scaled(factor)); }
    [[nodiscard]] TileSeries series() const { return TileSeries::fromDense(dense_); }

private:
    std::vector<std::int64_t> dense_;
};

} // namespace tilescope::sim
