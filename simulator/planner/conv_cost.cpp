#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

/// Exchange of inputs and weights for one serial step, without the data that a tile already holds.
std::int64_t operandExchange(const Target& target, const ConvProblem& problem,
                             const ConvTileSizes& sizes, const ConvSplits& splits) {
    const std::int64_t inputs = sizes.inputElements();
    const std::int64_t weights = sizes.weightElements();
    const std::int64_t inputMoved = inputs - inputs / splits.outChans;
    const std::int64_t weightMoved = weights - weights / (splits.fieldParts() * splits.batch);
    const bool shared = splits.sharesBus(target);
    return exchangeCycles(target, inputMoved * bytesOf(problem.inType), shared) +
           exchangeCycles(target, weightMoved * bytesOf(problem.inType));
}

/// The planner's own estimate of a cast of partials (poplin/ConvModel.cpp): vectors of the narrower
/// width, one a cycle, wherever the partials lie.
std::int64_t castEstimate(const Target& target, std::int64_t elements, DataType from, DataType to) {
    if (from == to)
        return 0;
    const auto width = [&](DataType type) {
        return type == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
    };
    constexpr std::int64_t outsideOfLoop = 26;
    const std::int64_t vectors =
        ceilDiv(ceilDiv(elements, target.workers), std::min(width(from), width(to)));
    return target.workers * (vectors + outsideOfLoop);
}

/// Exchange and vertices of the reduction over input-channel and kernel parts
/// (poplin/ConvModel.cpp, addExchangeCycleEstimates; PerformanceEstimation.hpp,
/// estimateConvReduceCycles): what vertices add up are whole results for each partial, what is
/// exchanged are the partials of a tile.
void addReduction(const Target& target, const ConvProblem& problem, const ConvTileSizes& sizes,
                  std::int64_t depth, const ReductionDepths& stages, ConvCost& cost) {
    std::int64_t exchanged = sizes.partialElements();
    if (depth == 1) {
        // PopLibs counts the exchange of a first stage even where there is none.
        cost.exchange += exchangeCycles(target, exchanged * bytesOf(problem.partialType));
        cost.reduce += castEstimate(target, exchanged, problem.partialType, problem.outType);
        return;
    }
    std::int64_t added = ceilDiv(exchanged, depth) * depth;
    std::int64_t left = depth;
    for (const std::int64_t stage : stages) {
        left = ceilDiv(left, stage);
        added = ceilDiv(added, stage);
        cost.exchange += exchangeCycles(target, exchanged * bytesOf(problem.partialType));
        cost.reduce += reduceAddCycles(target, added, stage, problem.partialType,
                                       left == 1 ? problem.outType : problem.partialType);
        exchanged = ceilDiv(exchanged, stage);
    }
}

/// Which tensors PopLibs expects to copy into another order (poplin/ConvModel.cpp,
/// addTransformCycleEstimate).
struct Rearranged {
    bool inputs = false, weights = false, outputs = false;
    bool outputsRegrouped = false; ///< in whole groups of output channels
    bool weightsRegrouped = false; ///< the same, for the backward pass
};

Rearranged rearrangedBy(const Target& target, const ConvProblem& problem, const ConvGrains& grains,
                        const ConvTransform& transform) {
    const bool paddedIn = problem.inChans % grains.inChans != 0;
    const bool paddedOut = problem.outChans % grains.outChans != 0;
    const bool swap = transform.swapOperands;
    const bool expands = !transform.expandedDims.empty();
    const bool joins = !transform.outChanDims.empty();
    const bool update = problem.pass == TrainingPass::TrainingUpdate;
    const bool backward = problem.pass == TrainingPass::TrainingBackward;
    const std::int64_t load = problem.inType == DataType::Half ? target.convUnitLoadElemsHalf
                                                               : target.convUnitLoadElemsFloat;
    const bool combines = transform.combinedGroups > 1;
    Rearranged result;
    result.inputs = update || expands || combines || swap != problem.matMul || paddedIn ||
                    (problem.matMul && backward);
    result.weights = (update && !problem.matMul) || expands || joins || combines ||
                     swap != problem.matMul || paddedIn || paddedOut;
    result.outputs = swap != (update || problem.matMul) || joins || combines || paddedOut ||
                     (problem.matMul && update);
    const std::int64_t group = target.convUnitPipelineDepth * load; // of the next layer's inputs
    result.outputsRegrouped = !problem.matMul && grains.outChans != group;
    result.weightsRegrouped = !problem.matMul && problem.pass == TrainingPass::TrainingForward &&
                              grains.outChans % group != 0;
    return result;
}

/// PopLibs gives SLIC a second buffer for the partials of one group of conv groups
/// (poplin/ConvModel.cpp).
std::int64_t slicBytes(const MethodCandidate& candidate, const ConvTileSizes& sizes,
                       DataType partialType) {
    if (candidate.method != ConvMethod::Slic)
        return 0;
    const std::int64_t groups = ceilDiv(sizes.groups, candidate.grains.groups);
    return ceilDiv(sizes.partialElements(), groups) * bytesOf(partialType) + slicExtraBytes;
}

/// Indices that fill the largest or the smallest part of a dimension up to a multiple, whichever
/// are more (padKernelSpatialDim).
std::int64_t paddingOf(std::int64_t size, std::int64_t parts, std::int64_t multiple) {
    return (multiple - std::max(size / parts % multiple, ceilDiv(size, parts) % multiple)) %
           multiple;
}

/// Indices that lie outside of a dimension's input, dilated zeros not included.
std::int64_t outsideOf(const FieldDim& dim) {
    const std::int64_t read = (dim.out - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
    return std::max<std::int64_t>(0, read - ((dim.in - 1) * dim.inDilation + 1));
}

/// Zeros with which tiles pad kernel and input, where AMP takes several kernel rows at once or SLIC
/// a window: their exchange is added to the cost. Returns their bytes (PopLibs
/// poplin/ConvModel.cpp, addTileLevelTransformEstimates).
std::int64_t addPadding(const Target& target, const ConvProblem& problem,
                        const MethodCandidate& candidate, const ConvTileSizes& sizes,
                        const ConvSplits& splits, ConvCost& cost) {
    constexpr std::int64_t slicWindow = 4;
    const bool slic = candidate.method == ConvMethod::Slic;
    if (!slic && candidate.method != ConvMethod::Amp)
        return 0;
    const std::int64_t multiple =
        slic ? slicWindow
             : filterHeightOf(target, candidate.convUnits, candidate.grains, problem.inType,
                              problem.partialType);
    if (multiple == 1)
        return 0;
    // A single dimension has an outer one of size one, whose kernel is filled up.
    const std::size_t dims = problem.field.size();
    const bool single = !slic && dims < 2;
    const std::int64_t outer = single ? multiple : 1;
    std::int64_t kernel = 1, field = 1, paddedKernel = outer, paddedField = outer;
    for (std::size_t d = 0; d < dims; ++d) {
        const FieldDim& dim = problem.field[d];
        const bool filled = slic ? d + 1 == dims : d == 0 && !single;
        const std::int64_t more = filled ? paddingOf(dim.kernel, splits.kernel[d], multiple) : 0;
        kernel *= sizes.kernel[d];
        paddedKernel *= sizes.kernel[d] + more;
        field *= sizes.outField[d];
        paddedField *= sizes.outField[d] + more * dim.dilation + (slic ? outsideOf(dim) : 0);
    }
    const std::int64_t perGroup = sizes.groups * sizes.inChans * bytesOf(problem.inType);
    const std::int64_t kernelBytes = perGroup * sizes.outChans * (paddedKernel - kernel);
    const std::int64_t inputBytes = perGroup * sizes.batch * (paddedField - field);
    const bool shared = splits.sharesBus(target);
    cost.zeros = exchangeCycles(target, kernelBytes) + exchangeCycles(target, inputBytes, shared);
    cost.exchange += cost.zeros;
    return kernelBytes + inputBytes;
}

} // namespace

Rearrangement::Rearrangement(const Target& target, const ConvProblem& problem,
                             const ConvGrains& grains, const ConvTransform& transform)
    : target_(&target) {
    const auto whole = [](std::int64_t size, std::int64_t grain) {
        return ceilDiv(size, grain) * grain;
    };
    const std::int64_t groups = whole(problem.groups, grains.groups);
    const std::int64_t inChans = whole(problem.inChans, grains.inChans);
    const std::int64_t outChans = whole(problem.outChans, grains.outChans);
    std::int64_t inputs = groups * problem.batch * inChans;
    std::int64_t weights = groups * inChans * outChans;
    std::int64_t outputs = groups * problem.batch * outChans;
    for (const FieldDim& dim : problem.field) {
        inputs *= dim.in;
        weights *= dim.kernel;
        outputs *= dim.out;
    }
    const auto copies = [&](std::int64_t elements, DataType type, std::int64_t contiguous,
                            std::int64_t channels, bool exchanged) {
        const std::int64_t vector =
            type == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat;
        const std::int64_t rate =
            std::min<std::int64_t>(target.memcpyBytesPerCycle, contiguous * bytesOf(type));
        // Channels that do not fill 64 bits are copied more slowly (getScaleFactorForTransform).
        const std::int64_t fifths = channels % vector == 0 ? 4 : 3;
        copied_.push_back({elements, bytesOf(type), rate * fifths, exchanged});
    };
    const Rearranged moved = rearrangedBy(target, problem, grains, transform);
    const std::int64_t ofBoth = problem.inChans * problem.outChans;
    if (moved.inputs)
        copies(inputs, problem.inType, 1, ofBoth, true);
    if (moved.weights)
        copies(weights, problem.inType, 1, ofBoth, true);
    else if (moved.weightsRegrouped)
        copies(weights, problem.inType, grains.outChans, problem.outChans, false);
    if (moved.outputs || moved.outputsRegrouped)
        copies(outputs, problem.outType, moved.outputs ? 1 : grains.outChans, problem.outChans,
               moved.outputs);
}

void Rearrangement::addTo(ConvCost& cost, std::int64_t tiles) const {
    // One after the other: the largest exists twice, before and after.
    std::int64_t bytesAtOnce = 0;
    for (const Copied& copied : copied_) {
        const std::int64_t bytes = ceilDiv(copied.elements, tiles) * copied.typeBytes;
        bytesAtOnce = std::max(bytesAtOnce, bytes);
        cost.rearrange += (copied.exchanged ? exchangeCycles(*target_, bytes) : 0) +
                          ceilDiv(bytes * 5, copied.rate);
    }
    cost.tempBytes = std::max(cost.tempBytes, 2 * bytesAtOnce);
}

std::int64_t computeCycles(const Target& target, const ConvProblem& problem,
                           const MethodCandidate& candidate, const ConvTileSizes& sizes,
                           const ConvSplits& splits) {
    const auto cycles = [&](const ConvTileSizes& counted) {
        return splits.serialSteps() * convolveCycles(target, candidate.method, candidate.convUnits,
                                                     candidate.grains, counted, problem.inType,
                                                     problem.partialType);
    };
    const auto& steps = sizes.outStep;
    const bool dilated =
        std::any_of(steps.begin(), steps.end(), [](auto step) { return step > 1; });
    if (candidate.method != ConvMethod::Vmac || !dilated)
        return cycles(sizes);
    // PopLibs expects VMAC to read an input at all positions, whatever the input's dilation, where
    // HMAC's rows are those of a dilated input alone.
    ConvTileSizes undilated = sizes;
    std::fill(undilated.outStep.begin(), undilated.outStep.end(), 1);
    return cycles(undilated);
}

ConvCost convCost(const Target& target, const ConvProblem& problem,
                  const MethodCandidate& candidate, const ConvTileSizes& sizes,
                  const ConvSplits& splits, const ConvTransform& transform) {
    ConvCost cost = costBesideCompute(target, problem, candidate, sizes, splits,
                                      Rearrangement(target, problem, candidate.grains, transform));
    cost.compute = computeCycles(target, problem, candidate, sizes, splits);
    return cost;
}

ConvCost costBesideCompute(const Target& target, const ConvProblem& problem,
                           const MethodCandidate& candidate, const ConvTileSizes& sizes,
                           const ConvSplits& splits, const Rearrangement& rearrangement) {
    ConvCost cost;
    cost.exchange = operandExchange(target, problem, sizes, splits);
    const std::int64_t depth = splits.reductionDepth();
    const ReductionDepths stages(depth);
    addReduction(target, problem, sizes, depth, stages, cost);

    const std::int64_t conv = sizes.inputElements() * bytesOf(problem.inType) +
                              sizes.weightElements() * bytesOf(problem.inType) +
                              sizes.partialElements() * bytesOf(problem.partialType) +
                              slicBytes(candidate, sizes, problem.partialType);
    // A first reduction stage of several keeps all its inputs at once.
    const std::int64_t reduce = stages.size() > 1 ? ceilDiv(sizes.partialElements(), depth) *
                                                        depth * bytesOf(problem.partialType)
                                                  : 0;
    const std::int64_t padding = addPadding(target, problem, candidate, sizes, splits, cost);
    cost.tempBytes = std::max(conv + padding, reduce);
    const std::int64_t tiles = splits.tiles();
    rearrangement.addTo(cost, tiles);

    const std::int64_t steps = splits.serialSteps();
    if (steps > 1) {
        const std::int64_t sliceElements =
            ceilDiv(sizes.weightElements() * tiles / (splits.fieldParts() * splits.batch), tiles);
        std::int64_t each = dynamicSliceCycles(target, sliceElements, problem.inType);
        const std::int64_t outputs = ceilDiv(sizes.partialElements(), depth);
        each += dynamicSliceCycles(target, outputs, problem.outType);
        cost.serial = each * steps;
        cost.exchange *= steps;
        cost.zeros *= steps;
        cost.reduce *= steps;
        cost.rearrange *= steps;
        // The slices of weights and the whole result stay beside the temporaries of a step.
        cost.tempBytes += sliceElements * bytesOf(problem.inType);
        if (splits.inChansSerial > 1)
            cost.tempBytes += outputs * bytesOf(problem.partialType);
    }
    return cost;
}

} // namespace tilescope::sim
