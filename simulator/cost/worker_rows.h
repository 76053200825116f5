// How the workers of a tile share the output positions of a convolution: PopLibs
// poplin/ConvUtilInternal.cpp, partitionConvPartialByWorker.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/cost/conv_work.h"

namespace tilescope::sim {

/// One worker's run of positions, as rows of the innermost field dimension: the end of a row, whole
/// rows, and the beginning of one.
struct WorkerRows {
    std::int64_t first = 0;     ///< positions in the first row if it is cut, else 0
    std::int64_t whole = 0;     ///< rows
    std::int64_t rowLength = 1; ///< positions in a whole row
    std::int64_t last = 0;      ///< positions in the last row if it is cut, else 0

    [[nodiscard]] std::int64_t rows() const { return whole + (first > 0) + (last > 0); }
    /// The sum of cost(positions) over the rows.
    template <class Cost> [[nodiscard]] std::int64_t sum(const Cost& cost) const {
        return (first > 0 ? cost(first) : 0) + (whole > 0 ? whole * cost(rowLength) : 0) +
               (last > 0 ? cost(last) : 0);
    }
};

/// `positions` in rows of `rowLength` are cut in `workers` runs of equal size, whatever rows they
/// cross; this is the nth.
WorkerRows workerRows(std::int64_t rowLength, std::int64_t positions, std::int64_t workers,
                      std::int64_t nth);
/// The same of the positions that one kernel index reads. Where the input is dilated, positions
/// between are not read.
WorkerRows workerRows(const ConvTileSizes& sizes, std::int64_t workers, std::int64_t nth);

/// The cost of the busiest and of the idlest worker.
struct WorkerCosts {
    std::int64_t most = 0, least = 0;
};
/// `cost(rows)` of every worker.
template <class Cost>
WorkerCosts workerCosts(const ConvTileSizes& sizes, std::int64_t workers, const Cost& cost) {
    WorkerCosts costs{cost(workerRows(sizes, workers, 0)), 0};
    costs.least = costs.most;
    for (std::int64_t nth = 1; nth < workers; ++nth) {
        const std::int64_t one = cost(workerRows(sizes, workers, nth));
        costs.most = std::max(costs.most, one);
        costs.least = std::min(costs.least, one);
    }
    return costs;
}

} // namespace tilescope::sim
