#include "simulator/cost/conv_cycles.h"

#include <algorithm>
#include <array>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_mac_cycles.h"

namespace tilescope::sim {
namespace {

/// Elements that one conv unit loads a cycle.
std::int64_t loadElems(const Target& t, DataType type) {
    return type == DataType::Half ? t.convUnitLoadElemsHalf : t.convUnitLoadElemsFloat;
}

/// How positions fall to the six workers: the busiest and the idlest.
struct WorkerShare {
    std::int64_t most, least;
};
WorkerShare workerShare(const Target& t, std::int64_t positions) {
    return {ceilDiv(positions, t.workers), positions / t.workers};
}

struct AmpShape {
    std::int64_t groups, inGroups, outGroups, passes; // passes: P = ceil(copg / units)
    std::int64_t weightLoad;                          // L
    bool half, halfPartials;
    std::int32_t units;
};

AmpShape ampShape(const Target& t, std::int32_t units, const ConvGrains& grains,
                  const ConvTileSizes& sizes, DataType inType, DataType partialType) {
    AmpShape s{};
    s.groups = sizes.groups;
    s.inGroups = ceilDiv(sizes.inChans, grains.inChans);
    s.outGroups = ceilDiv(sizes.outChans, grains.outChans);
    s.passes = ceilDiv(grains.outChans, units);
    s.weightLoad = units * t.convUnitPipelineDepth * loadElems(t, inType) * bytesOf(inType) /
                   t.convCoefficientBytesPerCycle;
    s.half = inType == DataType::Half;
    s.halfPartials = partialType == DataType::Half;
    s.units = units;
    return s;
}

/// Worker cycles of ConvPartial1x1Out for n positions; `zero` if partials are cleared first.
std::int64_t amp1x1Worker(const AmpShape& s, std::int64_t n, bool zero) {
    const bool fast = s.half && (!s.halfPartials || s.units == 16);
    const std::int64_t z = zero ? 1 : 0;
    if (fast) {
        const std::int64_t retained = 7;
        const std::array<std::int64_t, 3> few{20 + (zero ? 1 : 2), 31 + (zero ? 1 : 2),
                                              40 + (zero ? 1 : 2)};
        return (n < 3 ? few[static_cast<std::size_t>(n)] : (zero ? 37 : 38) + 4 * (n - 3)) -
               retained;
    }
    const std::int64_t zc = !s.half && s.units == 16 ? 8 : s.halfPartials ? 2 : 4;
    if (s.half) {
        switch (n) {
        case 0:
            return 24;
        case 1:
            return 39 + (2 + zc) * z;
        case 2:
            return 40 + (2 + 2 * zc) * z;
        default:
            return 41 + (2 + zc * n) * z + 4 * (n - 3);
        }
    }
    switch (n) {
    case 0:
        return 24;
    case 1:
        return 47 + (2 + zc) * z;
    case 2:
        return 46 + (2 + 2 * zc) * z;
    default:
        return 46 + (2 + zc * n) * z + 8 * (n - 3);
    }
}

std::int64_t amp1x1Cycles(const Target& t, const AmpShape& s, std::int64_t positions) {
    const WorkerShare share = workerShare(t, positions);
    const auto inner = [&](bool zero) {
        return std::max(t.workers * amp1x1Worker(s, share.most, zero),
                        t.workers * amp1x1Worker(s, share.least, zero) + 14);
    };
    const bool fast = s.half && (!s.halfPartials || s.units == 16);
    const std::int64_t c = fast ? 1 : 0;
    const std::int64_t s1 = fast ? 7 : 0;
    const std::int64_t s2 = fast ? 3 : 0;
    const std::int64_t load = s.weightLoad;
    return 50 + 6 * (s1 + s2 * (s.inGroups * s.groups - 1)) +
           s.groups * (12 + c +
                       (s.inGroups - 1) *
                           (16 - c + s.outGroups * (19 + s.passes * (6 + load + inner(false)))) +
                       11 + s.outGroups * (19 - c + s.passes * (7 + load + inner(true))));
}

std::int64_t ampNx1Cycles(const Target& t, const AmpShape& s, const ConvGrains& grains,
                          const ConvTileSizes& sizes, DataType inType) {
    // Where a group has fewer input channels than the units load, several kernel rows are taken in
    // one pass (the filter height).
    const std::int64_t rows = sizes.kernel.size() > 1 ? sizes.kernel.front() : 1;
    const std::int64_t height = std::min(mostFilterHeight(t, grains, inType), rows);
    const std::int64_t filterHeight = height >= 4 ? 4 : height >= 2 ? 2 : 1;
    const std::int64_t outerKernel = ceilDiv(rows, filterHeight);
    const std::int64_t innerKernel = sizes.kernelElements() / std::max<std::int64_t>(rows, 1);
    // Work items: rows of the outermost field dimensions, cut so that workers share evenly.
    const std::int64_t positions = sizes.outPositions();
    const std::int64_t read = ceilDiv(positions, sizes.positionsPerRead);
    const std::int64_t rowLength = sizes.outField.empty() ? 1 : sizes.outField.back();
    const std::int64_t lines = positions / std::max<std::int64_t>(rowLength, 1);
    const auto item = [&](std::int64_t n) -> std::int64_t {
        if (n == 0)
            return 17;
        if (n == 1)
            return s.half ? 29 : 33;
        if (n == 2)
            return s.half ? 33 + ((s.halfPartials && s.units == 16) ||
                                          (!s.halfPartials && s.units == 8)
                                      ? 1
                                      : 0)
                          : 44;
        return s.half ? 34 + 4 * (n - 3) : 45 + 8 * (n - 3);
    };
    const auto worker = [&](std::int64_t n) {
        const std::int64_t items = lines >= t.workers
                                       ? ceilDiv(lines, t.workers)
                                       : ceilDiv(n, std::max<std::int64_t>(1, rowLength));
        std::int64_t cycles = 17 + (s.halfPartials ? 1 : 0);
        const std::int64_t parts =
            std::max<std::int64_t>(1, std::min(items, std::max<std::int64_t>(n, 1)));
        cycles += parts * (3 + item(n / parts) - 9);
        if (n % parts != 0)
            cycles += (n % parts) * (s.half ? 4 : 8);
        return cycles;
    };
    const WorkerShare share = workerShare(t, read);
    const std::int64_t k =
        std::max(t.workers * worker(share.most), t.workers * worker(share.least) + 9) * s.passes;
    const std::int64_t setUp = filterHeight == 4 ? 60 : filterHeight == 2 ? 46 : 15;
    const std::int64_t inner =
        outerKernel * (14 + innerKernel * (12 + s.passes * (s.weightLoad + setUp + 3))) +
        outerKernel * innerKernel * k;
    const std::int64_t zeroing =
        6 * (ceilDiv(ceilDiv(positions * grains.outChans, 6), 2) + 5) * s.outGroups * s.groups;
    const std::int64_t zs = s.halfPartials ? 10 : 9;
    return 109 + 6 * 9 + 6 * zs + s.groups * (23 * s.outGroups - 5) + 6 * (s.groups - 1) + 1 +
           s.groups * (16 + s.inGroups * (14 + s.outGroups * (14 + inner))) + zeroing;
}

} // namespace

std::int64_t convolveCycles(const Target& target, ConvMethod method, std::int32_t convUnits,
                            const ConvGrains& grains, const ConvTileSizes& sizes, DataType inType,
                            DataType partialType) {
    switch (method) {
    case ConvMethod::Amp: {
        const AmpShape shape = ampShape(target, convUnits, grains, sizes, inType, partialType);
        if (sizes.kernelElements() == 1)
            return amp1x1Cycles(target, shape, sizes.outPositions());
        return ampNx1Cycles(target, shape, grains, sizes, inType);
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
    const std::int64_t vectors = ceilDiv(outputs, vector);
    if (outputs % vector == 0) {
        const std::int64_t overhead = floatPartials ? (floatOut ? 8 : 7) : (floatOut ? 10 : 9);
        return 33 + target.workers *
                        (20 + ceilDiv(vectors, target.workers) * (2 * (depth - 1) + overhead));
    }
    const std::int64_t overhead = floatPartials ? (floatOut ? 7 : 6) : (floatOut ? 9 : 8);
    return target.workers *
           (32 + ceilDiv(vectors, target.workers) * (3 * depth + overhead) + 2 * depth + 13);
}

std::int64_t castCycles(const Target& target, std::int64_t elements, DataType from, DataType to) {
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    const bool floats = (from == DataType::Float || from == DataType::Half) &&
                        (to == DataType::Float || to == DataType::Half);
    // Conversions between float and half move a vector in two cycles; others are plain C++ code of
    // about two cycles an element.
    const std::int64_t loop = floats ? 2 * ceilDiv(perWorker, 4) : 2 * perWorker;
    return 12 + target.workers * (18 + 19 + loop + 4);
}

std::int64_t exchangeCycles(const Target& target, std::int64_t bytes, bool shared) {
    return ceilDiv(bytes, target.exchangeBytesPerCycle * (shared ? target.tilesPerSharedBus : 1));
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

std::int64_t mostFilterHeight(const Target& target, const ConvGrains& grains, DataType inType) {
    const std::int64_t weightsPerUnit = target.convUnitPipelineDepth * loadElems(target, inType);
    return std::clamp<std::int64_t>(weightsPerUnit / grains.inChans, 1, 4);
}

double leastCyclesPerMac(const Target& target, ConvMethod method, std::int32_t convUnits,
                         const ConvGrains& grains, DataType inType, DataType partialType) {
    const auto pair = static_cast<double>(grains.inChans * grains.outChans);
    switch (method) {
    case ConvMethod::Amp:
        return static_cast<double>(ceilDiv(grains.outChans, convUnits) *
                                   (inType == DataType::Half ? 4 : 8)) /
               pair;
    case ConvMethod::Slic:
        return leastSlicCyclesPerMac(convUnits, grains);
    case ConvMethod::Hmac:
        return leastHmacCyclesPerMac(target, grains, inType, partialType);
    case ConvMethod::Vmac:
        return leastVmacCyclesPerMac(grains);
    case ConvMethod::OuterProduct:
        return leastOuterProductCyclesPerMac(grains, inType);
    }
    return 0;
}

std::int64_t dynamicSliceCycles(const Target& target, std::int64_t elements, DataType type) {
    const std::int64_t vector =
        bytesOf(type) == 2 ? target.vectorWidthHalf : target.vectorWidthFloat;
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    return 25 + target.workers * (39 + 24 + 2 * (perWorker / vector));
}

} // namespace tilescope::sim
