#include "simulator/cost/conv_mac_cycles.h"

#include <algorithm>
#include <numeric>

#include "core/base/ceil_div.h"
#include "simulator/cost/worker_rows.h"

namespace tilescope::sim {
namespace {

// Kernel columns that SLIC takes at once; other widths of the window have no vertex.
constexpr std::int64_t slicWindow = 4;
// Conv groups that one load of the SLIC weights covers; wider groupings take turns.
constexpr std::int64_t slicGroupsAtOnce = 4;

/// Cycles of a supervisor's counting loop: its branch stalls in all but the last turn.
std::int64_t loopBranches(std::int64_t turns) {
    return 6 * (turns - 1) + 1;
}

/// One row of SLIC's worker: the first sub-kernel also clears the partials.
std::int64_t slicRow(std::int64_t n, std::int64_t stride, bool zero, bool merging) {
    if (stride != 1)
        return n < 3 ? 7 + (n == 1 ? 3 : 5) + 3 : 15 + 2 * (n - 3);
    const std::int64_t shortest = merging ? 6 : 5;
    if (n >= shortest)
        return 15 + (n - 5) + (!zero && merging ? 3 : 0);
    if (zero)
        return 13 + (n > 1 ? n : 0);
    return n == 1 ? 13 : 17 + n;
}

/// All workers on one sub-kernel. `merging`: two chains of half partials, which end with a copy
/// that merges two outputs.
std::int64_t slicPass(const Target& t, std::int32_t chains, const ConvGrains& grains,
                      const ConvTileSizes& sizes, bool floatPartials, bool zero) {
    const bool merging = chains == 2 && !floatPartials;
    const std::int64_t passes = chains == 4 ? 1 : 2;
    const std::int64_t preamble = 17 + (grains.groups > slicGroupsAtOnce ? slicGroupsAtOnce : 0);
    const auto row = [&](std::int64_t positions) {
        return (merging ? 9 : 10) + (zero ? 1 : 0) + (floatPartials ? 3 : 0) +
               (slicRow(positions, sizes.stride, zero, merging) - (floatPartials ? 1 : 0)) * passes;
    };
    const std::int64_t rows =
        workerCosts(sizes, t.workers, [&](const WorkerRows& mine) { return mine.sum(row); }).most;
    const std::int64_t merge = merging && zero ? 2 + 2 * sizes.outPositions() : 0;
    return t.workers * (preamble + (merging ? 2 : 0) + rows) + merge;
}

std::int64_t slicWeightLoad(const Target& t, const ConvGrains& grains) {
    constexpr std::int64_t loads = 16;
    if (grains.inChans == 4)
        return 18 + loads;
    // Workers put the weights of narrower groupings in order first.
    const std::int64_t worker =
        grains.groups == 2 ? 12 : 10 + (grains.groups > slicGroupsAtOnce ? 1 : 0);
    return 21 + worker * t.workers + loads;
}

std::int64_t clearPartials(std::int64_t outputs) {
    return 6 * (ceilDiv(ceilDiv(outputs, 6), 2) + 5);
}

/// Dot product of HMAC's vectors of input channels (PopLibs poplin/PerformanceEstimation.hpp,
/// getDenseDotProductCycles of the release whose cycles of AMP are those of conv_cycles.cpp). Half
/// partials are two sums at once.
std::int64_t hmacDot(std::int64_t inChans, bool half, bool halfPartials) {
    const std::int64_t sums = halfPartials ? 2 : 1;
    const std::int64_t inner = 3 * sums + 3 + 1;
    if (!half)
        return inner + (inChans % 2 == 0 ? inChans : 2 * inChans);
    if (inChans % 4 == 0)
        return inner + (halfPartials ? 1 : 0) + inChans / 4;
    return inner + (halfPartials ? 2 : 0) + inChans;
}

std::int64_t hmacOutChans(const ConvGrains& grains, bool halfPartials) {
    return halfPartials ? ceilDiv(grains.outChans, 2) : grains.outChans;
}

} // namespace

std::int64_t slicCycles(const Target& t, std::int32_t chains, const ConvGrains& grains,
                        const ConvTileSizes& sizes, DataType partialType) {
    const bool floatPartials = partialType == DataType::Float;
    const bool merging = chains == 2 && !floatPartials;
    const std::int64_t groups = ceilDiv(sizes.groups, grains.groups);
    const std::int64_t columns = sizes.kernel.back();
    const std::int64_t subKernels = sizes.kernelElements() / columns * ceilDiv(columns, slicWindow);
    const std::int64_t weightLoad = slicWeightLoad(t, grains);
    const std::int64_t turns = std::max<std::int64_t>(1, grains.groups / slicGroupsAtOnce);
    std::int64_t groupBody = merging ? 12 : 15;
    std::int64_t subKernelBody = weightLoad + (merging ? 16 : 20);
    if (grains.groups > slicGroupsAtOnce) {
        groupBody += 8;
        subKernelBody = (weightLoad + 21) * turns + loopBranches(turns) + 15;
    }
    return (merging ? 25 : 28) + groupBody * groups + loopBranches(groups) +
           subKernelBody * subKernels + loopBranches(subKernels) +
           groups * turns *
               (slicPass(t, chains, grains, sizes, floatPartials, true) +
                (subKernels - 1) * slicPass(t, chains, grains, sizes, floatPartials, false));
}

double leastSlicCyclesPerMac(std::int32_t chains, const ConvGrains& grains) {
    const std::int64_t passes = chains == 4 ? 1 : 2;
    return static_cast<double>(passes) /
           static_cast<double>(slicWindow * std::min(grains.groups, slicGroupsAtOnce) *
                               grains.inChans * grains.outChans);
}

std::int64_t hmacCycles(const Target& t, const ConvGrains& grains, const ConvTileSizes& sizes,
                        DataType inType, DataType partialType) {
    const bool half = inType == DataType::Half;
    const bool halfPartials = partialType == DataType::Half;
    const std::int64_t dot = hmacDot(grains.inChans, half, halfPartials);
    const std::int64_t coGrain = hmacOutChans(grains, halfPartials);
    const std::int64_t positions = sizes.outPositions();
    const std::int64_t kernel = sizes.kernelElements();
    const std::int64_t row =
        sizes.readPositions() == 0
            ? 7
            : workerCosts(sizes, t.workers, [&](const WorkerRows& mine) {
                  return mine.sum([&](std::int64_t n) { return 19 + n * (7 + coGrain * dot); });
              }).most;
    const std::int64_t worker = 16 + kernel * (row + 16);
    const std::int64_t inGroups = ceilDiv(sizes.inChans, grains.inChans);
    const std::int64_t outGroups = ceilDiv(sizes.outChans, grains.outChans);
    const std::int64_t zeroing =
        clearPartials(positions * grains.outChans) * outGroups * sizes.groups;
    const std::int64_t overhead = half ? 63 : 58;
    const std::int64_t zs = halfPartials ? 10 : 9;
    return overhead + t.workers * zs +
           sizes.groups * (23 + inGroups * (15 + outGroups * (10 + t.workers * worker))) + zeroing;
}

double leastHmacCyclesPerMac(const ConvGrains& grains, DataType inType, DataType partialType) {
    const bool halfPartials = partialType == DataType::Half;
    const std::int64_t dot = hmacDot(grains.inChans, inType == DataType::Half, halfPartials);
    const std::int64_t coGrain = hmacOutChans(grains, halfPartials);
    return static_cast<double>(7 + coGrain * dot) /
           static_cast<double>(grains.inChans * grains.outChans);
}

std::int64_t vmacCycles(const Target& t, const ConvGrains& grains, const ConvTileSizes& sizes,
                        DataType partialType) {
    const bool halfPartials = partialType == DataType::Half;
    const std::int64_t f = halfPartials ? 0 : 1;
    const std::int64_t groups = ceilDiv(sizes.groups, grains.groups);
    const std::int64_t inGroups = ceilDiv(sizes.inChans, grains.inChans);
    // Half partials go eight groups at a time.
    const bool eights = halfPartials && grains.groups >= 8;
    // An entry of a worker's list: columns of a kernel row that meet an input.
    const auto entry = [&](std::int64_t columns) {
        return eights ? 7 + 15 + 3 + 3 * (columns - 1)
                      : 7 + 3 + 2 * f + 3 + 2 * (columns - 1) * grains.groups / 4;
    };
    const std::int64_t columns = ceilDiv(sizes.kernel.back(), sizes.outStep.back());
    const std::int64_t kernelRows = sizes.kernelElements() / sizes.kernel.back();
    // Of each kernel row, the positions in rows that read it. What is left of an even share is
    // shared out by columns (estimateConvPartialVerticalMacInnerLoopCycles).
    const std::int64_t positions = sizes.readPositions() /
                                   ceilDiv(sizes.outField.back(), sizes.outStep.back()) *
                                   sizes.outField.back();
    const std::int64_t split = t.workers / std::gcd<std::int64_t>(t.workers, positions);
    const std::int64_t parts = ceilDiv(positions * split, t.workers);
    const std::int64_t entries = kernelRows * (parts / split * entry(columns) +
                                               parts % split * entry(ceilDiv(columns, split)));
    const std::int64_t worker =
        eights ? (grains.groups == 8 ? 13 : 25) + grains.groups / 8 * entries : 18 + f + entries;
    const std::int64_t outputs = sizes.outPositions() * grains.groups;
    const std::int64_t zero = 4 + ceilDiv(outputs, halfPartials ? 4 : 2);
    const std::int64_t reduce =
        10 - f + (7 + 2 * f + (1 + f) * 5) * ceilDiv(outputs, t.workers) / grains.groups;
    return 100 + f + groups * (zero + 32 + inGroups * (24 + t.workers * worker) + reduce);
}

double leastVmacCyclesPerMac(const ConvGrains& grains) {
    return grains.groups >= 8 ? 3.0 / 8 : 2.0 / 4;
}

std::int64_t outerProductCycles(const Target& t, const ConvGrains& grains,
                                const ConvTileSizes& sizes, DataType inType) {
    const std::int64_t width = ceilDiv(sizes.outPositions(), t.workers);
    const std::int64_t outGroups = sizes.groups * ceilDiv(sizes.outChans, grains.outChans);
    const std::int64_t co = grains.outChans;
    if (inType == DataType::Half) {
        const bool fast = co >= 12 && co % 4 == 0;
        return t.workers *
               (25 + outGroups * (10 + width * (fast ? 6 + (co - 12) / 4 : 10 + 5 * co / 2)));
    }
    const bool fast = co >= 6 && co % 2 == 0;
    return t.workers * (25 + outGroups * (11 + width * (fast ? 6 + (co - 6) / 2 : 10 + 2 * co)));
}

double leastOuterProductCyclesPerMac(const ConvGrains& grains, DataType inType) {
    const std::int64_t co = grains.outChans;
    const bool half = inType == DataType::Half;
    const bool fast = half ? co >= 12 && co % 4 == 0 : co >= 6 && co % 2 == 0;
    const std::int64_t each = half ? (fast ? 6 + (co - 12) / 4 : 10 + 5 * co / 2)
                                   : (fast ? 6 + (co - 6) / 2 : 10 + 2 * co);
    return static_cast<double>(each) / static_cast<double>(co);
}

} // namespace tilescope::sim
