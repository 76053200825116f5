// Plans of convolutions and matrix products that outlive the run that they were searched for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/target/target.h"
#include "simulator/planner/plan.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {

/// Plans by problem and memory bound. The best plan within a bound is also the best within every
/// smaller bound that it satisfies, since that only leaves fewer to choose from; where no plan
/// satisfies a bound, the plan of least memory is also that of every smaller one.
class PlanMemory {
public:
    /// Sets the machine of further queries and additions; plans of another one are forgotten.
    void begin(const Target& target, OverMemory overMemory);
    /// The plan for a bound in bytes, nullptr if it has to be searched. May be called by many
    /// threads as long as nothing is added.
    [[nodiscard]] const ConvPlan* find(const ConvProblem& problem, std::int64_t bound) const;
    /// Whether there is a plan for any bound.
    [[nodiscard]] bool has(const ConvProblem& problem) const;
    void add(const ConvProblem& problem, std::int64_t bound, const ConvPlan& plan);

private:
    struct Entry {
        ConvProblem problem;
        std::int64_t leastBound = 0, mostBound = 0; ///< for which it is the plan
        ConvPlan plan;
    };
    static constexpr std::size_t most = 4096; ///< entries; a large model has some hundred

    std::optional<Target> target_;
    OverMemory overMemory_ = OverMemory::LeastMemory;
    std::vector<Entry> entries_;
};

} // namespace tilescope::sim
