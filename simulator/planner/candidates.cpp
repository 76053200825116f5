// Which vertices a convolution can use, with the groupings that PopLibs tries
// (poplin/ConvVertexType.cpp).
#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

using Candidates = std::vector<MethodCandidate>;

bool isFullyConnected(const ConvProblem& problem) {
    return problem.matMul && problem.pass != TrainingPass::None;
}

bool allKernelsOne(const ConvProblem& problem) {
    return std::all_of(problem.field.begin(), problem.field.end(),
                       [](const FieldDim& dim) { return dim.kernel == 1; });
}

MethodCandidate candidate(ConvMethod method, std::int32_t units, ConvGrains grains,
                          DataType partials) {
    MethodCandidate made;
    made.method = method;
    made.convUnits = units;
    made.grains = grains;
    made.partialType = partials;
    return made;
}

/// Output channels in groups of the units, or of the next layer's input group.
void addAmp(const Target& target, const ConvProblem& problem, DataType partials, Candidates& to) {
    const bool half = problem.inType == DataType::Half;
    const std::int64_t load = half ? target.convUnitLoadElemsHalf : target.convUnitLoadElemsFloat;
    const std::int64_t weightsPerUnit = target.convUnitPipelineDepth * load;
    const std::int32_t all = unitsOf(target, problem.inType, partials);
    // Half of the units: less padding where there are few output channels.
    constexpr std::int32_t fewUnits = 8;
    // The result of a dense layer's inference is rearranged whatever its grouping.
    const bool rearrangedAnyway = problem.matMul && problem.pass == TrainingPass::InferenceForward;
    for (std::int64_t c = weightsPerUnit; c >= load; c /= 2) {
        const std::int64_t wide =
            rearrangedAnyway ? all : std::max<std::int64_t>(all, weightsPerUnit);
        to.push_back(candidate(ConvMethod::Amp, all, {1, c, wide}, partials));
        if (wide != all)
            to.push_back(candidate(ConvMethod::Amp, all, {1, c, all}, partials));
        if (all > fewUnits)
            to.push_back(candidate(ConvMethod::Amp, fewUnits, {1, c, fewUnits}, partials));
    }
}

/// Without a reduction after it the vertex may write the result's type at once.
void addAmpDirect(const Target& target, const ConvProblem& problem, Candidates& to) {
    const bool half = problem.inType == DataType::Half;
    const std::int64_t weightsPerUnit =
        std::int64_t{target.convUnitPipelineDepth} *
        (half ? target.convUnitLoadElemsHalf : target.convUnitLoadElemsFloat);
    if (bytesOf(problem.outType) >= bytesOf(problem.partialType) ||
        problem.inChans > weightsPerUnit || !allKernelsOne(problem))
        return;
    Candidates direct;
    addAmp(target, problem, problem.outType, direct);
    for (const MethodCandidate& c : direct)
        if (ceilDiv(problem.inChans, c.grains.inChans) * c.grains.inChans == weightsPerUnit)
            to.push_back(c);
}

/// The window moves over the innermost dimension; a tile has one group of channels.
void addSlic(const Target& target, const ConvProblem& problem, Candidates& to) {
    if (problem.inType != DataType::Half || isFullyConnected(problem))
        return;
    const bool dilated = std::any_of(problem.field.begin(), problem.field.end(), [](auto& dim) {
        return dim.dilation != 1 || dim.inDilation != 1;
    });
    if (dilated || problem.field.back().stride > 2)
        return;
    const bool halfPartials = problem.partialType == DataType::Half;
    const bool manyUnits =
        halfPartials && unitsOf(target, problem.inType, problem.partialType) == 16;
    const auto add = [&](std::int64_t groups, std::int64_t channels) {
        for (const std::int32_t chains : {4, 2}) {
            if (chains == 4 && !manyUnits)
                continue;
            MethodCandidate made = candidate(ConvMethod::Slic, chains, {groups, channels, channels},
                                             problem.partialType);
            made.oneInPiece = made.oneOutPiece = true;
            to.push_back(made);
        }
    };
    add(1, 4);
    // Without conv groups to fill them, wider groupings only pad.
    if (problem.groups == 1)
        return;
    add(2, 2);
    add(4, 1);
    if (manyUnits) {
        add(8, 1);
        add(16, 1);
    }
}

/// Channels up to which all widths of their groups are tried: there are twice their root of them.
constexpr std::int64_t mostChannelsInAllWidths = 16384;
/// Beyond, each width is at least this part larger than the one before, so that the search ends.
constexpr std::int64_t partOfNextWidth = 16;

/// All widths of groups of input channels that change the number of groups: a wider one that leaves
/// as many only pads.
void addHmac(const ConvProblem& problem, std::int64_t multiple, Candidates& to) {
    // Two halves share a word, of the input as of the partials.
    const std::int64_t word = problem.inType == DataType::Half ? 2 : 1;
    const std::int64_t outs = problem.partialType == DataType::Half ? 2 : 1;
    const std::int64_t step = std::max(multiple, word);
    const auto whole = [](std::int64_t size, std::int64_t grain) {
        return ceilDiv(size, grain) * grain;
    };
    const auto add = [&](std::int64_t width) {
        to.push_back(candidate(ConvMethod::Hmac, 0, {1, width, outs}, problem.partialType));
    };
    if (step > 1 && word == 1)
        add(1);
    const std::int64_t channels = whole(std::max<std::int64_t>(problem.inChans, 1), word);
    const std::int64_t part = channels > mostChannelsInAllWidths ? partOfNextWidth : channels;
    for (std::int64_t width = step; width <= channels;) {
        add(width);
        const std::int64_t groups = ceilDiv(channels, width);
        if (groups == 1)
            return;
        width = whole(std::max(ceilDiv(channels, groups - 1), width + width / part), step);
    }
}

void addVmac(const Target& target, const ConvProblem& problem, Candidates& to) {
    if (problem.inType != DataType::Half || problem.groups == 1)
        return;
    for (const std::int64_t groups : {4, 8, 16})
        if (groups == target.vectorWidthHalf || problem.partialType == DataType::Half) {
            MethodCandidate made =
                candidate(ConvMethod::Vmac, 0, {groups, 1, 1}, problem.partialType);
            made.oneOutPiece = true;
            to.push_back(made);
        }
}

/// Writes its inputs' type, so that type must do for the partials as well.
void addOuterProduct(const Target& target, const ConvProblem& problem, Candidates& to) {
    const FieldDim& last = problem.field.back();
    const bool plain = problem.batch == 1 && problem.inChans == 1 && problem.field.size() == 1 &&
                       last.kernel == 1 && last.stride == 1 && last.dilation == 1 &&
                       last.inDilation == 1 && last.in == last.out;
    if (plain)
        to.push_back(candidate(
            ConvMethod::OuterProduct, 0,
            {1, 1,
             problem.inType == DataType::Half ? target.vectorWidthHalf : target.vectorWidthFloat},
            problem.inType));
}

/// Most promising first, so that later candidates are cut off early.
void sortByMerit(const Target& target, const ConvProblem& problem, Candidates& candidates) {
    const auto padded = [](std::int64_t n, std::int64_t grain) {
        return static_cast<double>(ceilDiv(n, grain) * grain);
    };
    const auto merit = [&](const MethodCandidate& m) {
        const double useful = static_cast<double>(problem.inChans * problem.outChans) /
                              (padded(problem.inChans, m.grains.inChans) *
                               padded(problem.outChans, m.grains.outChans));
        return useful * static_cast<double>(maxMacsPerCycle(target, m.method, m.convUnits, m.grains,
                                                            problem.inType));
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const auto& a, const auto& b) { return merit(a) > merit(b); });
}

/// An odd number of channels in a group leaves tiles odd numbers of halves: two positions of an
/// even row then stay together (ConvPlan.cpp, createPlan).
Candidates withEvenRows(const ConvProblem& problem, Candidates candidates) {
    const bool evenRows = problem.outType == DataType::Half && problem.field.back().out % 2 == 0;
    for (MethodCandidate& one : candidates)
        if (evenRows && one.grains.outChans % 2 != 0)
            one.grains.field = 2;
    return candidates;
}

} // namespace

std::vector<MethodCandidate> candidatesButHmac(const Target& target, const ConvProblem& problem) {
    Candidates candidates;
    addAmpDirect(target, problem, candidates);
    addAmp(target, problem, problem.partialType, candidates);
    addSlic(target, problem, candidates);
    addVmac(target, problem, candidates);
    addOuterProduct(target, problem, candidates);
    sortByMerit(target, problem, candidates);
    return withEvenRows(problem, std::move(candidates));
}

std::vector<MethodCandidate> hmacCandidates(const Target& target, const ConvProblem& problem,
                                            std::int64_t multiple) {
    Candidates candidates;
    addHmac(problem, multiple, candidates);
    sortByMerit(target, problem, candidates);
    return withEvenRows(problem, std::move(candidates));
}

std::vector<MethodCandidate> methodCandidates(const Target& target, const ConvProblem& problem) {
    Candidates candidates = candidatesButHmac(target, problem);
    const Candidates others = hmacCandidates(target, problem);
    candidates.insert(candidates.end(), others.begin(), others.end());
    return candidates;
}

} // namespace tilescope::sim
