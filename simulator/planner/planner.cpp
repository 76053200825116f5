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

/// Factors from 2 to `most`, ascending.
std::vector<std::int64_t> factorsOf(std::int64_t number, std::int64_t most) {
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
    std::erase_if(factors, [most](std::int64_t f) { return f < 2 || f > most; });
    return factors;
}

/// Numbers of serial slices: all factors of the channels, as every slice is the same convolution in
/// a loop, and no more than there are grains (PopLibs poplin/ConvModel.cpp, constructModel).
std::vector<std::pair<std::int64_t, std::int64_t>> serialSplits(const ConvProblem& problem,
                                                                const ConvGrains& grains) {
    std::vector<std::pair<std::int64_t, std::int64_t>> splits;
    for (const std::int64_t s :
         factorsOf(problem.outChans, ceilDiv(problem.outChans, grains.outChans)))
        splits.emplace_back(s, 1);
    for (const std::int64_t s :
         factorsOf(problem.inChans, ceilDiv(problem.inChans, grains.inChans)))
        splits.emplace_back(1, s);
    return splits;
}

enum class Serial { No, Yes };

/// All forms, methods and numbers of serial slices.
void search(const Target& target, const ConvProblem& problem, std::int64_t bound, Serial serial,
            Density density, std::optional<ConvMethod> only, BestPlans& best) {
    for (const TransformedProblem& form : transformsOf(problem))
        for (const MethodCandidate& candidate : methodCandidates(target, form.problem)) {
            if (only && candidate.method != *only)
                continue;
            PartitionSearch one(target, form, candidate, bound, best);
            one.run(1, 1, density);
            if (serial == Serial::No || form.transform.combinedGroups > 1)
                continue;
            for (const auto& [outs, ins] : serialSplits(form.problem, candidate.grains))
                one.run(outs, ins, density);
        }
}

/// The best plan: a coarse search first, so that the full one can leave out most.
std::optional<ConvPlan> bestPlan(const Target& target, const ConvProblem& problem,
                                 Objective objective, std::int64_t bound, Serial serial) {
    BestPlans coarse(objective, 1);
    search(target, problem, bound, serial, Density::Coarse, std::nullopt, coarse);
    BestPlans best(objective, 1);
    if (!coarse.plans().empty())
        best.boundBy(costKey(objective, coarse.plans().front().cost));
    search(target, problem, bound, serial, Density::Full, std::nullopt, best);
    const BestPlans& found = best.plans().empty() ? coarse : best;
    if (found.plans().empty())
        return std::nullopt;
    ConvPlan plan = found.plans().front();
    plan.cutShort = coarse.isExhausted() || best.isExhausted();
    return plan;
}

/// The fastest plan, with or without a loop over slices.
std::optional<ConvPlan> fastestWithin(const Target& target, const ConvProblem& problem,
                                      std::int64_t bound, Serial serial) {
    return bestPlan(target, problem, Objective::Cycles, bound, serial);
}

/// Newer PopLibs releases: the bound is doubled as long as it is at most twice a tile's memory, and
/// then dropped.
ConvPlan relaxed(const Target& target, const ConvProblem& problem, std::int64_t bound,
                 Serial serial) {
    std::optional<ConvPlan> plan;
    for (std::int64_t more = 2 * std::max<std::int64_t>(bound, 1);
         !plan && more <= 2 * target.bytesPerTile; more *= 2)
        plan = fastestWithin(target, problem, more, serial);
    if (!plan)
        plan = fastestWithin(target, problem, std::numeric_limits<std::int64_t>::max(), serial);
    if (!plan)
        throw NoPlan(problem);
    plan->withinMemoryTarget = false;
    return *std::move(plan);
}

} // namespace

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
    const Serial serial = slices == Slices::Allowed ? Serial::Yes : Serial::No;
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    if (bound > 0) {
        if (auto plan = fastestWithin(target, problem, bound, serial))
            return *std::move(plan);
        if (overMemory == OverMemory::Relax)
            return relaxed(target, problem, bound, serial);
    }
    auto smallest = bestPlan(target, problem, Objective::Memory, bound, serial);
    if (!smallest)
        throw NoPlan(problem);
    return *std::move(smallest);
}

std::vector<ConvPlan> bestPlansByMethod(const Target& target, const ConvProblem& problem,
                                        double availableMemoryProportion, std::size_t most) {
    const std::int64_t bound = memoryBound(target, availableMemoryProportion);
    std::vector<ConvPlan> all;
    for (const Objective objective : {Objective::Cycles, Objective::Memory}) {
        for (const ConvMethod method : allConvMethods)
            for (const Serial serial : {Serial::No, Serial::Yes}) {
                BestPlans best(objective, most);
                search(target, problem, bound, serial, Density::Full, method, best);
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
