// The plans of a graph's convolutions and matrix products; each distinct signature is planned once.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/options/machine_options.h"
#include "core/options/planning_options.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/embedding_plan.h"
#include "simulator/planner/plan.h"
#include "simulator/planner/plan_memory.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {

/// The planner's problem of a planned op, before any transform: every spatial dimension is
/// itself.
ConvProblem problemOf(const Graph& graph, const Op& op, const PlanningOptions& options);

/// The share of a tile's memory that a planned op may take: from the options for it, else from the
/// model, else from the options for its IPU.
double proportionOf(const Graph& graph, const Op& op, const PlanningOptions& options);

/// Options of a planned op as the profile's table of operations has them, a JSON object.
std::string plannedOptionsJson(const Graph& graph, const Op& op, const PlanningOptions& options,
                               const ConvPlan& plan);

class PlanTable {
public:
    /// Plans every convolution, gradient, MatMul and embedding of the graph and of its functions,
    /// distinct signatures in parallel; plans in `memory` are not searched again.
    /// Throws UserError if the options give a proportion to an operation that does not exist.
    PlanTable(const Graph& graph, const MachineOptions& machine, const PlanningOptions& options,
              PlanMemory* memory = nullptr);

    /// `function`: that the operation belongs to, an index of Graph::functions.
    [[nodiscard]] const ConvPlan& planOf(OpId op, FunctionIndex function = {}) const;
    /// Of a look-up of rows (Gather) or an addition to them (MultiUpdate). Operations on the same
    /// dimension of the same table have one plan.
    [[nodiscard]] const EmbeddingPlan& embeddingPlanOf(OpId op, FunctionIndex function = {}) const;
    /// The operations that a convolution runs at the same time with, itself among them, in order;
    /// none if it is planned by itself.
    [[nodiscard]] std::vector<OpId> togetherWith(OpId op, FunctionIndex function = {}) const;
    /// Of an entry of Graph::allocations.
    [[nodiscard]] const ConvPlan& allocationPlan(std::size_t at) const {
        return allocationPlans_.at(at);
    }
    [[nodiscard]] std::size_t distinctPlans() const { return plans_.size(); }
    /// Whether every operation has the same plan in both, whatever the options were.
    friend bool operator==(const PlanTable& a, const PlanTable& b);

private:
    void planMultiConvs(const Graph& graph, const Target& target, const PlanningOptions& options,
                        OverMemory overMemory);
    void planEmbeddings(const Graph& graph, const Target& target, const PlanningOptions& options);

    std::vector<ConvPlan> plans_;
    std::vector<ConvPlan> allocationPlans_;
    std::map<std::pair<FunctionIndex, OpId>, std::size_t> planOfOp_;
    /// Operations that run at the same time, by each of them.
    std::map<std::pair<FunctionIndex, OpId>, std::vector<OpId>> together_;
    std::vector<EmbeddingPlan> embeddingPlans_;
    std::map<std::pair<FunctionIndex, OpId>, std::size_t> embeddingPlanOfOp_;
};

} // namespace tilescope::sim
