// The plans of a graph's convolutions and matrix products; each distinct signature is planned once.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// The planner's problem of a planned op, before any transform: every spatial dimension stands for
/// itself.
ConvProblem problemOf(const Graph& graph, const Op& op, const RunOptions& options);

class PlanTable {
public:
    /// Plans every convolution, gradient and MatMul of the graph, distinct signatures in parallel.
    PlanTable(const Graph& graph, const RunOptions& options);

    [[nodiscard]] const ConvPlan& planOf(OpId op) const;
    [[nodiscard]] std::size_t distinctPlans() const { return plans_.size(); }

private:
    std::vector<ConvPlan> plans_;
    std::unordered_map<std::int32_t, std::size_t> planOfOp_;
};

} // namespace tilescope::sim
