// The plans of a graph's convolutions and matrix products; each distinct signature is planned once.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/options/run_options.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// How the dimensions of an op become those of the planner's problem.
struct ConvMapping {
    ConvProblem problem;
    /// Spatial dimensions of the op that stay field dimensions of their own, in order; the others,
    /// and the batch if `batchFlattened`, form the last field dimension.
    std::vector<int> ownFieldDims;
    std::vector<int> flattenedDims;
    bool batchFlattened = false;
};

/// Of a Conv or MatMul op.
ConvMapping mapToProblem(const Graph& graph, const Op& op, const RunOptions& options);

class PlanTable {
public:
    /// Plans every Conv and MatMul of the graph, distinct signatures in parallel.
    PlanTable(const Graph& graph, const RunOptions& options);

    [[nodiscard]] const ConvPlan& planOf(OpId op) const;
    [[nodiscard]] const ConvMapping& mappingOf(OpId op) const;
    [[nodiscard]] std::size_t distinctPlans() const { return plans_.size(); }

private:
    std::vector<ConvPlan> plans_;
    std::unordered_map<std::int32_t, std::size_t> planOfOp_;
    std::unordered_map<std::int32_t, ConvMapping> mappingOfOp_;
};

} // namespace tilescope::sim
