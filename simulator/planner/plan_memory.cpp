#include "simulator/planner/plan_memory.h"

#include <algorithm>

namespace tilescope::sim {

void PlanMemory::begin(const Target& target, OverMemory overMemory) {
    if (target_ != target || overMemory_ != overMemory)
        entries_.clear();
    target_ = target;
    overMemory_ = overMemory;
}

const ConvPlan* PlanMemory::find(const ConvProblem& problem, std::int64_t bound) const {
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.leastBound <= bound && bound <= entry.mostBound && entry.problem == problem;
    });
    return known == entries_.end() ? nullptr : &known->plan;
}

bool PlanMemory::has(const ConvProblem& problem) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.problem == problem; });
}

void PlanMemory::add(const ConvProblem& problem, std::int64_t bound, const ConvPlan& plan) {
    if (find(problem, bound) != nullptr)
        return;
    if (entries_.size() == most)
        entries_.clear();
    std::int64_t least = 0;
    // A relaxed plan follows from doublings of its own bound.
    if (plan.withinMemoryTarget)
        least = plan.cost.tempBytes;
    else if (overMemory_ == OverMemory::Relax)
        least = bound;
    entries_.push_back({problem, least, bound, plan});
}

} // namespace tilescope::sim
