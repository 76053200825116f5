#include "simulator/planner/planner.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/planner/search.h"
#include "simulator/planner/transform.h"

namespace tilescope::sim {
namespace {

/// Factors from 2, ascending.
std::vector<std::int64_t> factorsOf(std::int64_t number) {
    std::vector<std::int64_t> factors;
    std::vector<std::int64_t> others;
    for (std::int64_t f = 1; f <= number / f; ++f) {
        if (number % f != 0)
            continue;
        factors.push_back(f);
        if (f != number / f)
            others.push_back(number / f);
    }
    factors.insert(factors.end(), others.rbegin(), others.rend());
    std::erase(factors, 1);
    return factors;
}

/// Numbers of serial slices: all factors of the channels, as every slice is the same convolution in
/// a loop, and no more than there are grains (PopLibs poplin/ConvModel.cpp, constructModel).
struct SerialSplits {
    explicit SerialSplits(const ConvProblem& problem)
        : outChans(problem.outChans)
        , inChans(problem.inChans)
        , outs(factorsOf(problem.outChans))
        , ins(factorsOf(problem.inChans)) {}

    /// visit(outs, ins) of each number of slices that a grain allows.
    template <class Visit> void forEach(const ConvGrains& grains, const Visit& visit) const {
        for (const std::int64_t s : outs)
            if (s <= ceilDiv(outChans, grains.outChans))
                visit(s, 1);
        for (const std::int64_t s : ins)
            if (s <= ceilDiv(inChans, grains.inChans))
                visit(1, s);
    }

    std::int64_t outChans, inChans;
    std::vector<std::int64_t> outs, ins;
};

/// All forms, methods and numbers of serial slices.
void search(const Target& target, const ConvProblem& problem, std::int64_t bound, Slices slices,
            Density density, std::optional<ConvMethod> only, BestPlans& best) {
    for (const TransformedProblem& form : transformsOf(problem)) {
        std::optional<SerialSplits> splits;
        if (slices != Slices::None && form.transform.combinedGroups == 1)
            splits.emplace(form.problem);
        const auto searchAll = [&](const MethodCandidate& candidate) {
            PartitionSearch one(target, form, candidate, bound, best);
            one.run(1, 1, density);
            if (splits)
                splits->forEach(candidate.grains, [&](std::int64_t outs, std::int64_t ins) {
                    one.run(outs, ins, density);
                });
        };
        for (const MethodCandidate& candidate : candidatesButHmac(target, form.problem))
            if (!only || candidate.method == *only)
                searchAll(candidate);
        // HMAC has many groupings, and is rarely fast enough: a coarse search, which only bounds
        // the full one, leaves it out if others have a plan.
        if ((only && *only != ConvMethod::Hmac) || (density == Density::Coarse && best.limit()) ||
            !best.mayTake(leastHmacCycles(target, form.problem)))
            continue;
        for (const MethodCandidate& candidate : hmacCandidates(target, form.problem))
            if (best.mayTake(leastHmacCycles(target, form.problem, candidate)))
                searchAll(candidate);
    }
}

/// Newer PopLibs releases: the bound is doubled as long as it is at most twice a tile's memory, and
/// then dropped.
std::optional<ConvPlan> relaxed(const Target& target, const ConvProblem& problem,
                                const PlanGoal& goal, std::int64_t bound, Slices slices) {
    std::optional<ConvPlan> plan;
    for (std::int64_t more = 2 * std::max<std::int64_t>(bound, 1);
         !plan && more <= 2 * target.bytesPerTile; more *= 2)
        plan = bestPlan(target, problem, goal, more, slices);
    if (!plan)
        plan = bestPlan(target, problem, goal, std::numeric_limits<std::int64_t>::max(), slices);
    if (plan)
        plan->withinMemoryTarget = false;
    return plan;
}

} // namespace

CostKey costKey(const PlanGoal& goal, const ConvCost& cost, std::int64_t tiles) {
    switch (goal.objective) {
    case Objective::Cycles:
        return {cost.cycles(), cost.tempBytes};
    case Objective::Memory:
        return {cost.tempBytes, cost.cycles()};
    case Objective::Tiles:
        return {tiles, cost.cycles()};
    case Objective::Excess:
        break;
    }
    return {excessCycles(cost, goal.others), goal.fewestTiles ? tiles : cost.tempBytes};
}

std::int64_t excessCycles(const ConvCost& cost, const ConvCost& others) {
    const auto beyond = [](std::int64_t ours, std::int64_t theirs) {
        return std::max<std::int64_t>(0, ours - theirs);
    };
    return beyond(cost.exchange - cost.zeros, others.exchange - others.zeros) +
           beyond(cost.zeros, others.zeros) + beyond(cost.compute, others.compute) +
           beyond(cost.reduce, others.reduce) + beyond(cost.serial, others.serial) +
           beyond(cost.rearrange, others.rearrange);
}

ConvCost longestSteps(const ConvCost& a, const ConvCost& b) {
    ConvCost longest;
    longest.zeros = std::max(a.zeros, b.zeros);
    longest.exchange = std::max(a.exchange - a.zeros, b.exchange - b.zeros) + longest.zeros;
    longest.compute = std::max(a.compute, b.compute);
    longest.reduce = std::max(a.reduce, b.reduce);
    longest.serial = std::max(a.serial, b.serial);
    longest.rearrange = std::max(a.rearrange, b.rearrange);
    longest.tempBytes = std::max(a.tempBytes, b.tempBytes);
    return longest;
}

/// A coarse search first, so that the full one can leave out most.
std::optional<ConvPlan> bestPlan(const Target& target, const ConvProblem& problem,
                                 const PlanGoal& goal, std::int64_t bound, Slices slices) {
    BestPlans coarse(goal, 1);
    search(target, problem, bound, slices, Density::Coarse, std::nullopt, coarse);
    BestPlans best(goal, 1);
    if (coarse.limit())
        best.boundBy(*coarse.limit());
    search(target, problem, bound, slices, Density::Full, std::nullopt, best);
    const BestPlans& found = best.plans().empty() ? coarse : best;
    if (found.plans().empty())
        return std::nullopt;
    ConvPlan plan = found.plans().front();
    plan.cutShort = coarse.isExhausted() || best.isExhausted();
    return plan;
}

std::optional<ConvPlan> planWithin(const Target& target, const ConvProblem& problem,
                                   const PlanGoal& goal, double availableMemoryProportion,
                                   OverMemory overMemory, Slices slices) {
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    if (bound > 0) {
        if (auto plan = bestPlan(target, problem, goal, bound, slices))
            return plan;
        if (overMemory == OverMemory::Relax)
            return relaxed(target, problem, goal, bound, slices);
    }
    return bestPlan(target, problem, {Objective::Memory}, bound, slices);
}

NoPlan::NoPlan(const ConvProblem& problem)
    : UserError(
          fmt::format("no partition over the tiles was found for {} groups of {} input and {} "
                      "output channels in a batch of {}; it is too large: make it smaller",
                      problem.groups, problem.inChans, problem.outChans, problem.batch)) {}

std::vector<std::int64_t> distinctSplits(std::int64_t size, std::int64_t most) {
    std::vector<std::int64_t> splits;
    for (std::int64_t parts = 1; parts <= most;) {
        splits.push_back(parts);
        const std::int64_t largest = ceilDiv(size, parts);
        if (largest <= 1)
            break;
        parts = ceilDiv(size, largest - 1);
    }
    return splits;
}

std::int64_t memoryBound(const Target& target, double availableMemoryProportion) {
    return static_cast<std::int64_t>(static_cast<double>(target.bytesPerTile) *
                                     availableMemoryProportion);
}

ConvProblem swapped(const ConvProblem& problem) {
    ConvProblem result = problem;
    result.outChans = problem.field.empty() ? 1 : problem.field.back().out;
    FieldDim field;
    field.in = problem.outChans;
    field.out = problem.outChans;
    result.field.assign(1, field);
    return result;
}

ConvProblem plannedProblem(const ConvProblem& problem, const MethodCandidate& candidate) {
    ConvProblem planned = problem;
    planned.partialType = candidate.partialType;
    return planned;
}

ConvPlan planConv(const Target& target, const ConvProblem& problem,
                  double availableMemoryProportion, OverMemory overMemory, Slices slices) {
    auto plan = planWithin(target, problem, {Objective::Cycles}, availableMemoryProportion,
                           overMemory, slices);
    if (!plan)
        throw NoPlan(problem);
    return *std::move(plan);
}

std::vector<ConvPlan> bestPlansByMethod(const Target& target, const ConvProblem& problem,
                                        double availableMemoryProportion, std::size_t most) {
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    std::vector<ConvPlan> all;
    for (const Objective objective : {Objective::Cycles, Objective::Memory}) {
        for (const ConvMethod method : allConvMethods)
            for (const Slices slices : {Slices::None, Slices::Allowed}) {
                BestPlans best({objective}, most);
                search(target, problem, bound, slices, Density::Full, method, best);
                all.insert(all.end(), best.plans().begin(), best.plans().end());
                if (!best.plans().empty())
                    break;
            }
        if (!all.empty())
            break;
    }
    return all;
}

} // namespace tilescope::sim
