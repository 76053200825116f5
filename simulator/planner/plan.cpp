#include "simulator/planner/plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/ceil_div.h"

namespace tilescope::sim {

double ConvProblem::macs() const {
    double macs = static_cast<double>(groups) * static_cast<double>(batch) *
                  static_cast<double>(inChans) * static_cast<double>(outChans);
    for (const FieldDim& dim : field)
        macs *= static_cast<double>(dim.out) * static_cast<double>(dim.kernel);
    return macs;
}

std::int64_t ConvSplits::fieldParts() const {
    return elementsOf(field);
}
std::int64_t ConvSplits::kernelParts() const {
    return elementsOf(kernel);
}
std::int64_t ConvSplits::tiles() const {
    return groups * batch * outChans * inChans * fieldParts() * kernelParts();
}

namespace {

/// Into how many partials some are added up first, so that two stages add the fewest of them.
std::int64_t afterFirstOfTwo(std::int64_t depth) {
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(depth)));
    return depth < root * (root + 1) ? root : root + 1;
}

/// Partials that a result has on its way through two stages, at least.
float messagesOfTwo(std::int64_t depth) {
    const std::int64_t left = afterFirstOfTwo(depth);
    return static_cast<float>(left) + static_cast<float>(depth) / static_cast<float>(left);
}

std::int64_t afterFirstOfThree(std::int64_t depth) {
    const auto low = static_cast<std::int64_t>(std::pow(static_cast<double>(depth), 2.0 / 3.0));
    const auto messages = [&](std::int64_t left) {
        return messagesOfTwo(left) + static_cast<float>(depth) / static_cast<float>(left);
    };
    return messages(low) < messages(low + 1) ? low : low + 1;
}

} // namespace

// PopLibs poplin/ConvReducePlan.cpp: from these depths on more stages, each of which leaves as many
// partials as let a tile have the fewest messages.
ReductionDepths::ReductionDepths(std::int64_t depth) {
    constexpr std::int64_t twoStagesFrom = 16;
    constexpr std::int64_t threeStagesFrom = 125;
    const auto add = [&](std::int64_t partials) {
        depths_[count_++] = partials;
        depth = ceilDiv(depth, partials);
    };
    const auto reduceTo = [&](std::int64_t left) { add(ceilDiv(depth, left)); };
    if (depth >= threeStagesFrom) {
        const std::int64_t first = afterFirstOfThree(depth);
        reduceTo(first);
        reduceTo(afterFirstOfTwo(first));
    } else if (depth >= twoStagesFrom) {
        reduceTo(afterFirstOfTwo(depth));
    }
    if (depth > 1)
        add(depth);
}

std::int64_t ConvPlan::resultGrain() const {
    constexpr std::int64_t vectorBytes = 8;
    const std::int64_t vector = std::max<std::int64_t>(1, vectorBytes / bytesOf(problem.outType));
    return ceilDiv(grains.outChans, vector) * vector;
}

ConvTileSizes ConvPlan::tileSizes() const {
    return sim::tileSizes(problem, grains, splits);
}

namespace {

std::string cyclesJson(const ConvCost& cost) {
    return fmt::format(
        R"("cycles":{},"exchange":{},"compute":{},"reduce":{},"serial":{},"rearrange":{})",
        cost.cycles(), cost.exchange, cost.compute, cost.reduce, cost.serial, cost.rearrange);
}

} // namespace

std::string ConvPlan::toJson(const ConvCost& executed) const {
    return fmt::format(
        R"({{"method":"{}","convUnits":{},"swapOperands":{},"expandDims":[{}],"combineConvGroups":{},"joint":{},"tiles":{},)"
        R"("partition":{{"convGroups":{},"batch":{},"field":[{}],"outChans":{},"inChans":{},"kernel":[{}],)"
        R"("outChansSerial":{},"inChansSerial":{}}},)"
        R"("grains":{{"convGroups":{},"inChans":{},"outChans":{}}},"reductionStages":[{}],)"
        R"("estimate":{{{},"tempBytes":{}}},"planner":{{{}}},)"
        R"("withinMemoryTarget":{}{}}})",
        toString(method), convUnits, transform.swapOperands, fmt::join(transform.expandedDims, ","),
        transform.combinedGroups, joint, splits.tiles(), splits.groups, splits.batch,
        fmt::join(splits.field, ","), splits.outChans, splits.inChans,
        fmt::join(splits.kernel, ","), splits.outChansSerial, splits.inChansSerial, grains.groups,
        grains.inChans, grains.outChans, fmt::join(reductionStages(), ","), cyclesJson(executed),
        cost.tempBytes, cyclesJson(cost), withinMemoryTarget,
        parallel ? fmt::format(R"(,"firstTile":{})", firstTile) : "");
}

bool meetsEveryIndex(const ConvProblem& problem) {
    return std::all_of(problem.field.begin(), problem.field.end(), [](const FieldDim& dim) {
        return dim.stride == dim.inDilation && dim.padBegin == 0 &&
               (dim.kernel == 1 || dim.inDilation == 1) &&
               (dim.out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation <=
                   (dim.in - 1) * dim.inDilation;
    });
}

bool isSingleRow(const ConvProblem& problem) {
    return problem.batch == 1 && meetsEveryIndex(problem) &&
           std::all_of(problem.field.begin(), problem.field.end() - 1,
                       [](const FieldDim& dim) { return dim.in == 1; });
}

FieldRange inputRange(const FieldDim& dim, FieldRange out, FieldRange kernel) {
    if (out.end <= out.begin || kernel.end <= kernel.begin)
        return {0, 0};
    const std::int64_t first = out.begin * dim.stride + kernel.begin * dim.dilation - dim.padBegin;
    const std::int64_t last =
        (out.end - 1) * dim.stride + (kernel.end - 1) * dim.dilation - dim.padBegin;
    const auto dilated = [&](std::int64_t index, std::int64_t round) {
        return index < 0 ? std::int64_t{0} : (index + round) / dim.inDilation;
    };
    const std::int64_t begin =
        std::clamp<std::int64_t>(dilated(first, dim.inDilation - 1), 0, dim.in);
    const std::int64_t end = last < 0 ? 0 : dilated(last, 0) + 1;
    return {begin, std::clamp<std::int64_t>(end, begin, dim.in)};
}

void fillTileSizes(const ConvProblem& problem, const ConvGrains& grains, const ConvSplits& splits,
                   ConvTileSizes& sizes) {
    const auto inGrains = [](std::int64_t size, std::int64_t grain, std::int64_t parts) {
        return ceilDiv(ceilDiv(size, grain), parts) * grain;
    };
    sizes.groups = inGrains(problem.groups, grains.groups, splits.groups);
    sizes.batch = ceilDiv(problem.batch, splits.batch);
    sizes.inChans =
        inGrains(ceilDiv(problem.inChans, splits.inChansSerial), grains.inChans, splits.inChans);
    sizes.outChans = inGrains(ceilDiv(problem.outChans, splits.outChansSerial), grains.outChans,
                              splits.outChans);
    const std::size_t dims = problem.field.size();
    sizes.stride = problem.field.back().stride;
    sizes.singleRow = isSingleRow(problem);
    sizes.outField.resize(dims);
    sizes.inField.resize(dims);
    sizes.kernel.resize(dims);
    sizes.outStep.resize(dims);
    for (std::size_t d = 0; d < dims; ++d) {
        const FieldDim& dim = problem.field[d];
        const std::int64_t out =
            d + 1 == dims ? std::min(dim.out, inGrains(dim.out, grains.field, splits.field[d]))
                          : ceilDiv(dim.out, splits.field[d]);
        const std::int64_t kernel = ceilDiv(dim.kernel, splits.kernel[d]);
        sizes.outField[d] = out;
        sizes.kernel[d] = kernel;
        sizes.inField[d] = std::min(
            dim.in, ((out - 1) * dim.stride + (kernel - 1) * dim.dilation) / dim.inDilation + 1);
        sizes.outStep[d] = kernel > 1 ? dim.inDilation : 1;
    }
}

ConvTileSizes tileSizes(const ConvProblem& problem, const ConvGrains& grains,
                        const ConvSplits& splits) {
    ConvTileSizes sizes;
    fillTileSizes(problem, grains, splits, sizes);
    return sizes;
}

} // namespace tilescope::sim
