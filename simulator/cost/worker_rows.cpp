#include "simulator/cost/worker_rows.h"

#include "core/base/ceil_div.h"

namespace tilescope::sim {

WorkerRows workerRows(const ConvTileSizes& sizes, std::int64_t workers, std::int64_t nth) {
    const std::int64_t rowLength =
        std::max<std::int64_t>(1, ceilDiv(sizes.outField.back(), sizes.outStep.back()));
    return workerRows(rowLength, sizes.readPositions(), workers, nth);
}

WorkerRows workerRows(std::int64_t rowLength, std::int64_t positions, std::int64_t workers,
                      std::int64_t nth) {
    WorkerRows rows;
    rows.rowLength = rowLength;
    const std::int64_t begin = nth * positions / workers;
    const std::int64_t end = (nth + 1) * positions / workers;
    const std::int64_t beginRow = begin / rows.rowLength;
    const std::int64_t endRow = end / rows.rowLength;
    const std::int64_t before = begin % rows.rowLength;
    if (beginRow == endRow) {
        rows.first = end - begin;
        return rows;
    }
    rows.first = before > 0 ? rows.rowLength - before : 0;
    rows.whole = endRow - beginRow - (before > 0 ? 1 : 0);
    rows.last = end % rows.rowLength;
    return rows;
}

} // namespace tilescope::sim
