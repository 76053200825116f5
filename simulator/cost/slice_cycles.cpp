#include "simulator/cost/slice_cycles.h"

#include <algorithm>
#include <cmath>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

std::int64_t part(std::int64_t count, double inRange) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * inRange));
}

} // namespace

std::int64_t multiSliceCycles(const Target& target, std::int64_t indices, std::int64_t rowElements,
                              double inRange) {
    constexpr std::int64_t fixed = 30;
    constexpr std::int64_t perRow = 19;
    constexpr std::int64_t perSkippedRow = 8;
    constexpr std::int64_t perPair = 2; // the copy moves two elements at a time
    const std::int64_t perWorker = ceilDiv(indices, target.workers);
    const std::int64_t copied = part(perWorker, inRange);
    return target.workers * (fixed + copied * (perRow + perPair * ceilDiv(rowElements, 2)) +
                             (perWorker - copied) * perSkippedRow);
}

std::int64_t multiUpdateCycles(const Target& target, std::int64_t indices, std::int64_t rowElements,
                               DataType type, double inRange) {
    const bool wide = bytesOf(type) >= 4;
    const std::int64_t fixed = 3 + (wide ? 29 : 30);
    const std::int64_t perRow = wide ? 11 : 12;
    constexpr std::int64_t perSkippedRow = 5;
    constexpr std::int64_t perFurtherAtom = 3;
    const std::int64_t atoms = ceilDiv(rowElements * bytesOf(type), target.atomicStoreBytes);
    const std::int64_t added = part(indices, inRange);
    return target.workers *
           (fixed + added * (perRow + std::max<std::int64_t>(0, atoms - 1) * perFurtherAtom) +
            (indices - added) * perSkippedRow);
}

std::int64_t fillCycles(const Target& target, std::int64_t elements, DataType type) {
    if (elements == 0)
        return 0;
    const bool half = bytesOf(type) == 2;
    return target.workers * ((half ? 26 : 23) + ceilDiv(elements, target.workers) / (half ? 4 : 2));
}

std::int64_t dynamicSliceCycles(const Target& target, std::int64_t elements, DataType type) {
    const std::int64_t vector =
        bytesOf(type) == 2 ? target.vectorWidthHalf : target.vectorWidthFloat;
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    return 25 + target.workers * (39 + 24 + 2 * (perWorker / vector));
}

} // namespace tilescope::sim
