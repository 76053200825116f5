// The parts in which a graph's products are summed according to the planner.
#pragma once

#include "core/options/machine_options.h"
#include "core/options/planning_options.h"
#include "simulator/compute/kernels/partial_sums.h"
#include "simulator/graph/graph.h"
#include "simulator/planner/plan.h"

namespace tilescope::sim {

/// The sums of a plan. `kernelDims`: of the operation, before any transform.
PartialSums sumsOf(const ConvPlan& plan, std::size_t kernelDims);

/// Of every convolution and product of a prepared graph that has half partials; empty if none has,
/// without planning anything.
PartialSumsTable plannedSums(const Graph& prepared, const MachineOptions& machine,
                             const PlanningOptions& options);

} // namespace tilescope::sim
