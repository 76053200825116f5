#include "simulator/cost/conv_cycles.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_mac_cycles.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/worker_rows.h"

namespace tilescope::sim {
namespace {

/// Elements that one conv unit loads a cycle.
std::int64_t loadElems(const Target& t, DataType type) {
    return type == DataType::Half ? t.convUnitLoadElemsHalf : t.convUnitLoadElemsFloat;
}

/// Positions of the busiest and of the idlest of the six workers.
struct WorkerShare {
    std::int64_t most, least;
};
WorkerShare workerShare(const Target& t, std::int64_t positions) {
    return {ceilDiv(positions, t.workers), positions / t.workers};
}

struct AmpShape {
    std::int64_t groups, inGroups, outGroups;
    std::int64_t passes;     ///< over a group's output channels, one channel per unit at a time
    std::int64_t weightLoad; ///< cycles to load the weights of a pass
    bool half, halfPartials;
    std::int32_t units;

    /// Half data with float partials, or with half ones on 16 units: they share a code path.
    [[nodiscard]] bool isCommonHalfPath() const { return half && (!halfPartials || units == 16); }
};

/// Weights: getConvPartialAmpSupervisorWeightLoadCycleEstimate.
AmpShape ampShape(const Target& t, std::int32_t units, const ConvGrains& grains,
                  const ConvTileSizes& sizes, DataType inType, DataType partialType) {
    AmpShape s{};
    s.groups = sizes.groups;
    s.inGroups = ceilDiv(sizes.inChans, grains.inChans);
    s.outGroups = ceilDiv(sizes.outChans, grains.outChans);
    s.passes = ceilDiv(grains.outChans, units);
    s.weightLoad = std::int64_t{units} * t.convUnitPipelineDepth * loadElems(t, inType) *
                   bytesOf(inType) / t.convCoefficientBytesPerCycle;
    s.half = inType == DataType::Half;
    s.halfPartials = partialType == DataType::Half;
    s.units = units;
    return s;
}

/// Cycles that a worker of ConvPartial1x1 saves where state is retained from the previous call
/// (conv1x1WorkerRetentionSavings): of a call, and of each further one.
struct RetentionSavings {
    std::int64_t call = 0, furtherCall = 0;
};
RetentionSavings retentionSavings(const AmpShape& s) {
    return s.isCommonHalfPath() ? RetentionSavings{10, 2} : RetentionSavings{};
}

/// A worker of ConvPartial1x1 for `positions` positions, of getConvPartial1x1SupervisorInnerLoop-
/// CycleEstimateHalfFloat. `clears`: partials are set to zero first.
std::int64_t amp1x1Worker(const AmpShape& s, std::int64_t positions, bool clears) {
    if (s.isCommonHalfPath()) {
        const std::int64_t branch = clears ? 2 : 4;
        const std::int64_t cycles = positions == 0   ? 20 + branch
                                    : positions == 1 ? 31 + branch
                                    : positions == 2 ? 40 + branch
                                                     : 36 + branch + 4 * (positions - 3);
        return cycles - retentionSavings(s).call;
    }
    if (positions == 0)
        return 24;
    const std::int64_t clearOne = !s.half && s.units == 16 ? 8 : s.halfPartials ? 2 : 4;
    const std::int64_t clearing = clears ? 2 + clearOne * positions : 0;
    if (s.half)
        return clearing + (positions < 3 ? 38 + positions : 41 + 4 * (positions - 3));
    return clearing + (positions == 1 ? 47 : positions == 2 ? 46 : 46 + 8 * (positions - 3));
}

/// getConvPartial1x1SupervisorCycleEstimate: OuterLoopCycleEstimateHalfFloat around the workers.
std::int64_t amp1x1Cycles(const Target& t, const AmpShape& s, std::int64_t positions) {
    const WorkerShare share = workerShare(t, positions);
    const auto workers = [&](bool clears) {
        constexpr std::int64_t idlestWorkerTag = 14;
        return std::max(t.workers * amp1x1Worker(s, share.most, clears),
                        t.workers * amp1x1Worker(s, share.least, clears) + idlestWorkerTag);
    };
    const RetentionSavings savings = retentionSavings(s);
    const std::int64_t saved = s.isCommonHalfPath() ? 1 : 0;
    constexpr std::int64_t outsideOfLoops = 50;
    const std::int64_t firstPass = 19 - saved + s.passes * (7 + s.weightLoad + workers(true));
    const std::int64_t furtherPass = 19 + s.passes * (6 + s.weightLoad + workers(false));
    return outsideOfLoops + 6 * (savings.call + savings.furtherCall * (s.inGroups * s.groups - 1)) +
           s.groups * (12 + saved + (s.inGroups - 1) * (16 - saved + s.outGroups * furtherPass) +
                       11 + s.outGroups * firstPass);
}

/// How ConvPartialnx1 takes a kernel apart: `filterHeight` rows of it in one pass.
struct KernelPasses {
    std::int64_t filterHeight, outer, inner;
};
KernelPasses kernelPasses(const ConvTileSizes& sizes, std::int64_t filterHeight) {
    const std::int64_t rows = sizes.kernel.size() > 1 ? sizes.kernel.front() : 1;
    return {filterHeight, ceilDiv(rows, filterHeight),
            sizes.kernelElements() / std::max<std::int64_t>(rows, 1)};
}

/// A row of positions in a worker's list.
std::int64_t ampNx1Row(const AmpShape& s, std::int64_t positions) {
    switch (positions) {
    case 0:
        return 17;
    case 1:
        return s.half ? 29 : 33;
    case 2: {
        const bool widePath =
            (s.halfPartials && s.units == 16) || (!s.halfPartials && s.units == 8);
        return s.half ? 33 + (widePath ? 1 : 0) : 44;
    }
    default:
        return s.half ? 34 + 4 * (positions - 3) : 45 + 8 * (positions - 3);
    }
}

/// A worker of ConvPartialnx1, of getConvPartialnx1SupervisorInnerLoopCycleEstimateHalfFloat.
std::int64_t ampNx1Worker(const AmpShape& s, const WorkerRows& rows) {
    constexpr std::int64_t rowStart = 3, rowRetained = 9;
    return 17 + (s.halfPartials ? 1 : 0) + rows.sum([&](std::int64_t positions) {
        return rowStart + ampNx1Row(s, positions) - rowRetained;
    });
}

/// getConvPartialnx1SupervisorCycleEstimate: OuterLoopCycleEstimateHalfFloat around the kernel's
/// passes, and the partials cleared by the workers.
std::int64_t ampNx1Cycles(const Target& t, const AmpShape& s, const ConvGrains& grains,
                          const ConvTileSizes& sizes, std::int64_t filterHeight) {
    const KernelPasses kernel = kernelPasses(sizes, filterHeight);
    const std::int64_t positions = sizes.outPositions();
    const WorkerCosts costs = workerCosts(
        sizes, t.workers, [&](const WorkerRows& rows) { return ampNx1Worker(s, rows); });
    constexpr std::int64_t idlestWorkerTag = 9;
    const std::int64_t workers =
        s.passes * std::max(t.workers * costs.most, t.workers * costs.least + idlestWorkerTag);
    const std::int64_t shuffle = kernel.filterHeight == 4 ? 60 : kernel.filterHeight == 2 ? 46 : 15;
    const std::int64_t inner =
        kernel.outer *
        (14 + kernel.inner * (12 + s.passes * (s.weightLoad + shuffle + 3) + workers));
    const std::int64_t clearing =
        6 * (ceilDiv(ceilDiv(positions * grains.outChans, 6), 2) + 5) * s.outGroups * s.groups;
    constexpr std::int64_t outsideOfLoops = 109;                // convNx1Overhead
    constexpr std::int64_t retained = 9;                        // convnx1WorkerRetentionSavings
    const std::int64_t clearRetained = s.halfPartials ? 10 : 9; // zeroPartialsRetentionSavings
    return outsideOfLoops + 6 * retained + 6 * clearRetained + s.groups * (23 * s.outGroups - 5) +
           6 * (s.groups - 1) + 1 +
           s.groups * (16 + s.inGroups * (14 + s.outGroups * (14 + inner))) + clearing;
}

/// What a pass takes besides its positions: loaded weights, and workers that start and end, the
/// busiest with one row of positions at least where the input is not dilated.
LeastConvCycles leastAmpCycles(const Target& t, std::int32_t units, const ConvGrains& grains,
                               DataType inType, DataType partialType, bool dilated) {
    const AmpShape s = ampShape(t, units, grains, {}, inType, partialType);
    const std::int64_t cyclesPerPosition = s.half ? 4 : 8;
    const auto beside = [&](std::int64_t positions, std::int64_t cycles) {
        return cycles - cyclesPerPosition * positions;
    };
    std::int64_t oneByOne = std::numeric_limits<std::int64_t>::max();
    std::int64_t row = oneByOne;
    for (const std::int64_t positions : {1, 2, 3}) {
        oneByOne = std::min(oneByOne, beside(positions, amp1x1Worker(s, positions, false)));
        oneByOne = std::min(oneByOne, beside(positions, amp1x1Worker(s, positions, true)));
        row = std::min(row, beside(positions, ampNx1Worker(s, WorkerRows{positions, 0, 1, 0})));
    }
    const std::int64_t worker = std::min(oneByOne, dilated ? ampNx1Worker(s, WorkerRows()) : row);
    const auto pair = static_cast<double>(grains.inChans * grains.outChans);
    const auto passes = static_cast<double>(s.passes);
    return {passes * static_cast<double>(cyclesPerPosition) / pair,
            passes * static_cast<double>(s.weightLoad + t.workers * worker) / pair};
}

/// Whether ReduceAdd may take the partials beside a tile's own as one input, which lies in memory
/// of its own (PopLibs poplin/ConvReducePlan.hpp, checkPartialsSizeForSingleInputReduce).
bool takesSingleInput(const Target& target, std::int64_t partialBytes) {
    constexpr std::int64_t leastShareOfTile = 16;
    return ceilDiv(partialBytes, target.elementBytes) * target.elementBytes <
           target.bytesPerTile / leastShareOfTile;
}

} // namespace

std::int64_t convolveCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType) {
    switch (method) {
    case ConvMethod::Amp: {
        const AmpShape shape = ampShape(target, convUnits, grains, sizes, inType, partialType);
        if (takesOneByOne(target, convUnits, grains, sizes, inType, partialType))
            return amp1x1Cycles(target, shape, sizes.outPositions());
        return ampNx1Cycles(target, shape, grains, sizes,
                            filterHeightOf(target, convUnits, grains, inType, partialType));
    }
    case ConvMethod::Slic:
        return slicCycles(target, convUnits, grains, sizes, partialType);
    case ConvMethod::Hmac:
        return hmacCycles(target, grains, sizes, inType, partialType);
    case ConvMethod::Vmac:
        return vmacCycles(target, grains, sizes, partialType);
    case ConvMethod::OuterProduct:
        return outerProductCycles(target, grains, sizes, inType);
    }
    return 0;
}

std::int64_t reduceAddCycles(const Target& target, std::int64_t outputs, std::int64_t depth,
                             DataType partialType, DataType outType) {
    if (outputs == 0)
        return 0;
    if (depth == 1)
        return partialType == outType ? 0 : castCycles(target, outputs, partialType, outType);
    const bool floatPartials = partialType == DataType::Float;
    const bool floatOut = outType == DataType::Float;
    const std::int64_t vector = floatPartials ? 4 : 8;
    if (outputs % vector == 0 &&
        takesSingleInput(target, outputs * (depth - 1) * bytesOf(partialType))) {
        const std::int64_t overhead = floatPartials ? (floatOut ? 8 : 7) : (floatOut ? 10 : 9);
        return 33 + target.workers * (20 + ceilDiv(outputs / vector, target.workers) *
                                               (2 * (depth - 1) + overhead));
    }
    const std::int64_t overhead = floatPartials ? (floatOut ? 7 : 6) : (floatOut ? 9 : 8);
    // The remainder of a vector is handled by powers of two, each in a turn of its own. Turns that
    // some workers skip are the shorter ones where there is a remainder.
    const std::int64_t remainder = outputs % vector;
    const std::int64_t turns =
        outputs / vector + std::popcount(static_cast<std::uint64_t>(remainder));
    const bool uneven = turns % target.workers != 0;
    const std::int64_t whole = turns / target.workers + (uneven && remainder == 0 ? 1 : 0);
    const std::int64_t tail = uneven && remainder != 0 ? 2 * depth + (floatPartials ? 13 : 11) : 0;
    return target.workers * (32 + whole * (3 * depth + overhead) + tail);
}

std::int64_t maxMacsPerCycle(const Target& target, ConvMethod method, std::int32_t convUnits,
                             const ConvGrains& grains, DataType inType) {
    const std::int64_t vector =
        inType == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
    switch (method) {
    case ConvMethod::Amp:
        return convUnits * loadElems(target, inType);
    case ConvMethod::Slic:
        return std::min<std::int64_t>(4, grains.inChans) * 4 * 2;
    case ConvMethod::Vmac:
        return std::max(vector, grains.groups);
    case ConvMethod::Hmac:
    case ConvMethod::OuterProduct:
        return vector;
    }
    return 1;
}

std::int32_t unitsOf(const Target& target, DataType inType, DataType partialType) {
    if (inType != DataType::Half)
        return target.convUnitsFloatToFloat;
    return partialType == DataType::Half ? target.convUnitsHalfToHalf : target.convUnitsHalfToFloat;
}

std::int64_t filterHeightOf(const Target& target, std::int32_t convUnits, const ConvGrains& grains,
                            DataType inType, DataType partialType) {
    // PopLibs poplin/ConvModel.cpp, convUnitWeightHeight: where not all units are used, a group
    // that does not fill the weights of one has proportionally fewer.
    std::int64_t weights = target.convUnitPipelineDepth * loadElems(target, inType);
    if (grains.inChans != weights)
        weights = weights * convUnits / unitsOf(target, inType, partialType);
    return std::clamp<std::int64_t>(weights / grains.inChans, 1, 4);
}

bool takesOneByOne(const Target& target, std::int32_t convUnits, const ConvGrains& grains,
                   const ConvTileSizes& sizes, DataType inType, DataType partialType) {
    return sizes.singleRow && sizes.kernelElements() == 1 &&
           filterHeightOf(target, convUnits, grains, inType, partialType) == 1;
}

std::int64_t kernelPassesOf(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType) {
    if (method != ConvMethod::Amp)
        return sizes.kernelElements();
    const KernelPasses passes =
        kernelPasses(sizes, filterHeightOf(target, convUnits, grains, inType, partialType));
    return passes.outer * passes.inner;
}

LeastConvCycles leastConvCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                                const ConvGrains& grains, DataType inType, DataType partialType,
                                bool dilated) {
    switch (method) {
    case ConvMethod::Amp:
        return leastAmpCycles(target, convUnits, grains, inType, partialType, dilated);
    case ConvMethod::Slic:
        return {leastSlicCyclesPerMac(convUnits, grains)};
    case ConvMethod::Hmac:
        return {leastHmacCyclesPerMac(grains, inType, partialType)};
    case ConvMethod::Vmac:
        return {leastVmacCyclesPerMac(grains)};
    case ConvMethod::OuterProduct:
        return {leastOuterProductCyclesPerMac(grains, inType)};
    }
    return {};
}

} // namespace tilescope::sim
