#include "simulator/cost/broadcast_cycles.h"

#include <algorithm>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

/// vectorInnerAddCoreCycles_half: a worker's `rows` rows of `run` elements, whole vectors.
std::int64_t addHalves(std::int64_t run, std::int64_t rows) {
    constexpr std::int64_t longest = 2048; // elements of a vector that the loop can step over
    const std::int64_t oneByOne = 6 + run * (5 + 9 * rows);
    if (run > longest)
        return 3 + oneByOne;
    if (run % 8 == 0)
        return 7 + (rows == 1 ? 4 + 7 * (run / 8) : 5 + run / 8 * (15 + 2 * (rows - 1)));
    if (rows == 1)
        return 7 + oneByOne;
    return 15 + run / 4 * (13 + 2 * (rows / 2 - 1) + rows % 2);
}

/// vectorInnerMulCoreCycles_half.
std::int64_t multiplyHalves(std::int64_t run, std::int64_t rows, bool inPlace) {
    constexpr std::int64_t longest = 2044;
    if (inPlace || rows == 1 || run > longest)
        return 9 + run / 4 * (7 + 2 * rows);
    return 13 + run / 4 * (9 + rows);
}

std::int64_t broadcastWidth(const Target& target, DataType type) {
    return type == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
}

} // namespace

bool broadcastsAlongRows(const Target& target, ElementwiseFunction function, DataType type,
                         std::int64_t run) {
    if (function == ElementwiseFunction::Divide)
        return true;
    return broadcastsByRow(function) && type == DataType::Half &&
           run % broadcastWidth(target, type) == 0;
}

bool broadcastsByRow(ElementwiseFunction function) {
    return function == ElementwiseFunction::Add || function == ElementwiseFunction::Subtract ||
           function == ElementwiseFunction::Multiply;
}

std::int64_t vectorInnerCycles(const Target& target, ElementwiseFunction function, bool inPlace,
                               std::int64_t elements, std::int64_t run) {
    if (elements == 0)
        return 0;
    run = std::min(run, elements);
    const std::int64_t rows = ceilDiv(ceilDiv(elements, run), target.workers);
    const std::int64_t core = function == ElementwiseFunction::Multiply
                                  ? multiplyHalves(run, rows, inPlace)
                                  : addHalves(run, rows);
    constexpr std::int64_t supervisor = 13, worker = 19;
    return supervisor + target.workers * (worker + (inPlace ? 2 : 3) + core);
}

std::int64_t vectorOuterCycles(const Target& target, DataType type, std::int64_t elements,
                               std::int64_t run) {
    if (elements == 0)
        return 0;
    const std::int64_t vector = broadcastWidth(target, type);
    run = std::min(run, elements);
    const bool byRow = run < target.workers * vector;
    const std::int64_t rows = ceilDiv(ceilDiv(elements, run), byRow ? target.workers : 1);
    const std::int64_t columns = byRow ? run : ceilDiv(run, target.workers);
    // A row that does not begin with a whole vector is put in step first.
    const std::int64_t rowStart = run % vector == 0 ? 7 : 25;
    constexpr std::int64_t supervisor = 11, worker = 15, vectorCycles = 2;
    return supervisor +
           target.workers * (worker + rows * (rowStart + vectorCycles * ceilDiv(columns, vector)));
}

} // namespace tilescope::sim
