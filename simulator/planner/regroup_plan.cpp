#include "simulator/planner/regroup_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

constexpr std::int64_t grainBytes = 8; // getMinimumRegroupGrainSize: 64 bits
/// Farthest stride of a load, in 64-bit words: 2^9 for strides of 10 bits, *assumed*.
constexpr std::int64_t farthestStride = 512;
constexpr std::int64_t squareBlock =
    4; // elements of two bytes: rows and columns of the fast method
constexpr std::int64_t mostOfOneWorker = 4;

/// Blocks are cut into more than one a tile only where their columns are too far apart for a
/// stride.
std::int64_t mostTransposes(const Target& target, std::int64_t longestGroup) {
    const std::int64_t stride = longestGroup / squareBlock * 3 - 1;
    const std::int64_t onTile =
        std::clamp<std::int64_t>(ceilDiv(stride, farthestStride), 1, target.workers);
    return target.tilesPerIpu * onTile;
}

/// Into how many times more transposes of smaller blocks `transposes` are cut.
std::int64_t bestFactor(const Target& target, std::int64_t transposes, std::int64_t mostFactor,
                        std::int64_t mostInAll) {
    std::int64_t best = 1;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t x = 1; x <= mostFactor && transposes * x <= mostInAll; ++x) {
        if (mostFactor % x != 0)
            continue;
        const std::int64_t cost =
            mostFactor / x * ceilDiv(ceilDiv(transposes * x, target.tilesPerIpu), target.workers);
        if (cost < least) {
            least = cost;
            best = x;
        }
    }
    return best;
}

} // namespace

RegroupPlan planRegroup(const Target& target, std::int64_t elements, std::int64_t elementBytes,
                        std::int64_t sourceGroup, std::int64_t wantedGroup) {
    const std::int64_t grain = std::max<std::int64_t>(1, grainBytes / elementBytes);
    RegroupPlan plan;
    plan.rows = wantedGroup;
    plan.columns = sourceGroup;
    if (sourceGroup % grain == 0 && wantedGroup % grain == 0) {
        std::int64_t factor =
            bestFactor(target, ceilDiv(elements, sourceGroup * wantedGroup),
                       sourceGroup * wantedGroup / (grain * grain),
                       mostTransposes(target, std::max(sourceGroup, wantedGroup)));
        const std::int64_t ofSource = std::gcd(factor, sourceGroup / grain);
        factor /= ofSource;
        plan.columns /= ofSource;
        plan.rows /= std::gcd(factor, wantedGroup / grain);
    }
    plan.blocks = std::max<std::int64_t>(1, ceilDiv(elements, plan.rows * plan.columns));
    plan.blocksPerTile = ceilDiv(plan.blocks, target.tilesPerIpu);
    return plan;
}

TransposeMethod transposeMethod(const Target& target, const RegroupPlan& plan,
                                std::int64_t elementBytes) {
    const bool fast =
        elementBytes == 2 && plan.rows % squareBlock == 0 && plan.columns % squareBlock == 0;
    if (!fast)
        return TransposeMethod::Workers;
    const std::int64_t blocks = plan.blocksPerTile;
    if (plan.rows == squareBlock && plan.columns == squareBlock && blocks <= mostOfOneWorker)
        return TransposeMethod::OneWorker;
    return blocks < target.workers && target.workers % blocks == 0 ? TransposeMethod::Split
                                                                   : TransposeMethod::Shared;
}

TransposePart splitTranspose(const Target& target, const RegroupPlan& plan) {
    // createSplitTranspose1DWorkList: rows first, then columns.
    const std::int64_t workers = target.workers / plan.blocksPerTile;
    const std::int64_t rows = plan.rows / squareBlock;
    const std::int64_t rowsEach = ceilDiv(rows, workers);
    const std::int64_t alongRows = ceilDiv(rows, rowsEach);
    const std::int64_t columns = plan.columns / squareBlock;
    const std::int64_t columnsEach = ceilDiv(columns, workers / alongRows);
    return {rowsEach * squareBlock, columnsEach * squareBlock};
}

} // namespace tilescope::sim
