// What makes one plan better than another. Internal to the planner.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/target/target.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {

/// What a plan should have least of.
enum class Objective {
    Cycles,
    Memory,
    Tiles,  ///< among those that take no more than so many cycles
    Excess, ///< cycles of its steps beyond those of other convolutions that run at the same time
};

/// PopLibs poplin/PlanningObjective.hpp.
struct PlanGoal {
    Objective objective = Objective::Cycles;
    /// Tiles: more are too many.
    std::int64_t mostCycles = std::numeric_limits<std::int64_t>::max();
    /// Excess: each step of the others. What takes no longer costs nothing.
    ConvCost others = {};
    /// Excess: of equal plans the one on the fewest tiles, else the one with least memory.
    bool fewestTiles = false;
};

/// Plans are compared by this: the objective first; then bytes for cycles and the other way round,
/// cycles for tiles.
using CostKey = std::pair<std::int64_t, std::int64_t>;
CostKey costKey(const PlanGoal& goal, const ConvCost& cost, std::int64_t tiles);

/// The cycles by which each step exceeds that of `others`, added up; the exchange of zeros is a
/// step of its own (poplin/ConvModel.cpp, totalPerStepCycleDiff).
std::int64_t excessCycles(const ConvCost& cost, const ConvCost& others);

/// The longest of each step.
ConvCost longestSteps(const ConvCost& a, const ConvCost& b);

/// The best plan whose temporary memory stays within `bound`, where the objective is not memory.
std::optional<ConvPlan> bestPlan(const Target& target, const ConvProblem& problem,
                                 const PlanGoal& goal, std::int64_t bound, Slices slices);

/// Within the proportion of a tile's memory, or as `overMemory` has it; none if there is no plan.
std::optional<ConvPlan> planWithin(const Target& target, const ConvProblem& problem,
                                   const PlanGoal& goal, double availableMemoryProportion,
                                   OverMemory overMemory, Slices slices);

} // namespace tilescope::sim
