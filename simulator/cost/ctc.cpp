#include "simulator/cost/ctc.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

// Cycles of adding and of multiplying numbers given as logarithms.
constexpr std::int64_t logAdd = 4 + 1 + 3 + 1 + 6 + 1;
constexpr std::int64_t logMultiply = 1;

/// One step of a loop: the vertices, an exchange of the next step's operands, a sync.
struct StepEstimate {
    std::int64_t compute = 0, exchange = 0;
};

// The planner's own numbers.
constexpr std::int64_t fixedExchangeCycles = 100;
constexpr std::int64_t syncCycles = 90;

std::int64_t exchangeCycles(const Target& target, std::int64_t elements, std::int64_t bytes) {
    return fixedExchangeCycles + elements * bytes / target.exchangeBytesPerCycle;
}

void estimate(const Target& target, const CtcLossProblem& p, CtcLossPlan& plan) {
    const std::int64_t perTime = ceilDiv(p.time, plan.time);
    const std::int64_t partitionSteps = plan.time + plan.time % 2;
    const std::int64_t steps = perTime * partitionSteps / 2;
    const std::int64_t inTurn = ceilDiv(ceilDiv(p.batch, plan.batch), target.workers);
    const std::int64_t labels = ceilDiv(p.label, plan.label);
    const bool balanced = labels == p.label / plan.label;
    const bool extraBlank = balanced && !plan.lastBlankApart;
    const std::int64_t edges = (plan.label > 1 ? 2 : 0) + (plan.label > 1 && plan.time > 2 ? 2 : 0);
    const StepEstimate alpha{
        ctcAlphaCycles(labels, extraBlank) * target.workers,
        exchangeCycles(target, (plan.time > 2 ? labels : 0) + edges, p.partialBytes)};
    const StepEstimate gradient{ctcGradientCycles(labels, extraBlank) * target.workers,
                                exchangeCycles(target, 2 + 4 * labels, p.partialBytes)};
    plan.cycles = 0;
    for (const StepEstimate& step : {alpha, gradient})
        plan.cycles += steps * (step.compute * inTurn + step.exchange + syncCycles);
    const std::int64_t batch = ceilDiv(p.batch, plan.batch);
    const std::int64_t extended = 2 * labels + (labels * plan.label == p.label ? 1 : 0);
    constexpr std::int64_t labelBytes = 2; // UNSIGNED_SHORT
    plan.tempBytes = batch * perTime * p.classes * (p.inBytes + p.partialBytes) +
                     batch * labels * labelBytes + batch * extended * (1 + 3) * p.partialBytes;
}

/// Numbers of parts for which no part is empty.
std::vector<std::int64_t> partsOf(std::int64_t size, std::int64_t most) {
    std::vector<std::int64_t> parts;
    for (std::int64_t n = 1; n <= std::min(size, most); ++n) {
        const std::int64_t each = ceilDiv(size, n);
        if (ceilDiv(size, each) == n)
            parts.push_back(n);
    }
    return parts;
}

std::int64_t evenParts(std::int64_t size, std::int64_t most) {
    return ceilDiv(size, std::max<std::int64_t>(1, ceilDiv(size, most)));
}

} // namespace

std::int64_t ctcAlphaCycles(std::int64_t labels, bool extraBlank) {
    const std::int64_t readAndWrite = std::int64_t{1 + 3} * 2;
    const std::int64_t arithmetic = 2 * logAdd + 2 * logMultiply;
    const std::int64_t control = 2;
    return (readAndWrite + arithmetic + control) * labels + (extraBlank ? logAdd + logMultiply : 0);
}

std::int64_t ctcGradientCycles(std::int64_t labels, bool extraBlank) {
    const std::int64_t readAndWrite = std::int64_t{2 + 1} * 2;
    const std::int64_t arithmetic = 2 * (logAdd + logMultiply);
    return ctcAlphaCycles(labels, extraBlank) + (readAndWrite + arithmetic) * labels +
           (extraBlank ? logAdd + logMultiply : 0);
}

CtcLossPlan planCtcLoss(const Target& target, const CtcLossProblem& problem, double proportion) {
    const std::int64_t tiles = target.tilesPerIpu;
    const auto allowed =
        static_cast<std::int64_t>(proportion * static_cast<double>(target.bytesPerTile));
    const auto rank = [&](const CtcLossPlan& plan) {
        const bool tooLarge = plan.tempBytes > allowed;
        return std::tuple(tooLarge, tooLarge ? plan.tempBytes : 0, plan.cycles, plan.tempBytes,
                          plan.tiles());
    };
    CtcLossPlan best;
    estimate(target, problem, best);
    for (const std::int64_t batch : partsOf(problem.batch, tiles))
        for (const std::int64_t time : partsOf(problem.time, tiles / batch))
            for (const std::int64_t label : partsOf(problem.label, tiles / batch / time))
                for (const bool apart : {false, true}) {
                    CtcLossPlan plan{batch, time, label, apart};
                    if (plan.tiles() > tiles)
                        continue;
                    estimate(target, problem, plan);
                    if (rank(plan) < rank(best))
                        best = plan;
                }
    return best;
}

CtcBeamSearchPlan planCtcBeamSearch(const Target& target, std::int64_t batch, std::int64_t classes,
                                    std::int64_t beamWidth) {
    constexpr std::int64_t singleStageClasses = 20;
    CtcBeamSearchPlan plan;
    plan.batch = evenParts(batch, target.tilesPerIpu);
    const std::int64_t most = target.tilesPerIpu / plan.batch;
    plan.extend = evenParts(classes - 1, most);
    plan.extendVertices = std::min<std::int64_t>(beamWidth, target.workers - 1);
    plan.copy = evenParts(beamWidth, most);
    plan.merge = plan.copy;
    if (classes >= singleStageClasses) {
        auto groups = static_cast<std::int64_t>(std::sqrt(static_cast<double>(classes)));
        const std::int64_t all = beamWidth * classes;
        while (groups > 1 && all - (groups - 1) * ceilDiv(all, groups) < beamWidth)
            --groups;
        plan.sort.push_back({groups});
    }
    plan.sort.push_back({1});
    std::int64_t candidates = ceilDiv(beamWidth * classes, plan.sort.front().groups);
    plan.tilesPerSample = std::max(plan.extend, plan.copy);
    for (std::size_t i = 0; i < plan.sort.size(); ++i) {
        CtcBeamSearchPlan::Sort& stage = plan.sort[i];
        const std::int64_t perGroup = std::max<std::int64_t>(1, most / stage.groups);
        const std::int64_t rankings =
            std::max<std::int64_t>(target.workers, ceilDiv(candidates, perGroup));
        stage.candidates = candidates;
        stage.rankParts = ceilDiv(candidates, rankings);
        stage.reduceParts = evenParts(beamWidth, perGroup);
        plan.tilesPerSample =
            std::max(plan.tilesPerSample,
                     std::min(most, stage.groups * std::max(stage.rankParts, stage.reduceParts)));
        if (i + 1 < plan.sort.size())
            candidates = ceilDiv(beamWidth * stage.groups, plan.sort[i + 1].groups);
    }
    return plan;
}

} // namespace tilescope::sim
